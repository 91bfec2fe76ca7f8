// Launches on streams of the program's own, in its CUDA contexts, without naming a device. The first argument
// is "cpu" if the driver is a stub, whose kernels do nothing; the second is the folder of rules.py.
#include <nereid.hpp>

#include "../programs/cuda.h"

#include <string>
#include <thread>
#include <vector>

namespace {

int failures, checks;
bool real;
std::string folder;

void check(bool ok, const char *what) {
	checks++;
	if (!ok) failures++, std::printf("FAIL %s\n", what);
}

// scale launches in a context, on a new stream, and checks that the thread's context stays.
void scale(void *context) {
	CU(cuda.set_current(context));
	std::vector<float> values(100, 1.5f);
	uint64_t x = 0, out = 0;
	CUstream stream = nullptr;
	CU(cuda.stream_create(reinterpret_cast<void **>(&stream), 1));
	CU(cuda.alloc(&x, 400));
	CU(cuda.alloc(&out, 400));
	CU(cuda.to_device(x, values.data(), 400));
	auto &f = triton_jit::TritonJITFunction::get_instance(folder + "/rules.py", "scale");
	for (int i = 0; i < 3; i++) {
		f(stream, 1, 1, 1, 4, 3, reinterpret_cast<float *>(x), reinterpret_cast<float *>(out), 100, 2.0f, 128);
	}
	CU(cuda.stream_synchronize(stream));
	CU(cuda.from_device(values.data(), out, 400));
	check(!real || (values[0] == 3 && values[99] == 3), "a launch in a context of the program's");
	void *current = nullptr;
	CU(cuda.get_current(&current));
	check(current == context, "the context is current as before");
	check(nereid::default_device().name().compare(0, 4, "cuda") == 0, "the context's device");
	CU(cuda.mem_free(x));
	CU(cuda.mem_free(out));
}

} // namespace

int main(int, char **argv) try {
	real = std::string(argv[1]) != "cpu";
	folder = argv[2];
	if (!cuda_open()) throw std::runtime_error("there is no CUDA driver");
	int device = 0;
	void *primary = nullptr, *own = nullptr, *other = nullptr;
	CU(cuda.device_get(&device, 0));
	CU(cuda.primary_retain(&primary, device));
	CU(cuda.ctx_create(&own, 0, device));
	CU(cuda.ctx_create(&other, 0, device));
	scale(own);
	scale(primary);
	scale(own);
	std::thread second(scale, other), third(scale, primary);
	second.join(), third.join();
	CU(cuda.set_current(nullptr));
	check(nereid::default_device().get() != nullptr, "a device without a context");
	std::printf("%s: %d of %d checks failed\n", argv[1], failures, checks);
	return failures ? 1 : 0;
} catch (const std::exception &e) {
	std::printf("%s\n", e.what());
	return 1;
}
