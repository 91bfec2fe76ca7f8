// The first example of docs/C.md's C++ part.
#include <nereid.hpp>

#include <cstdio>
#include <vector>

int main(int, char **argv) try {
	std::vector<float> x(1000, 1), y(1000, 2), out(1000);
	auto &add = nereid::TritonJITFunction::get_instance(argv[1], "add_kernel");
	nereid::Device cpu("cpu");
	int n = 1000, warps = 4, stages = 3;
	add(cpu, (n + 1023) / 1024, 1, 1, warps, stages, x.data(), y.data(), out.data(), n, 1024);
	std::printf("%g %g %g\n", double(out[0]), double(out[500]), double(out[999]));
} catch (const nereid::Error &e) {
	std::fprintf(stderr, "%s\n", e.what()); // file:line:column: error: …
	return 1;
}
