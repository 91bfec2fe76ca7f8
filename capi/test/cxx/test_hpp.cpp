// Tests nereid.hpp on a device, the first argument; the second is the folder of rules.py.
#include <nereid.hpp>

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

using triton_jit::TritonJITFunction;

namespace {

int failures, checks;
std::string folder;
const nereid::Device *device;

void check(bool ok, const std::string &what) {
	checks++;
	if (!ok) failures++, std::printf("FAIL %s\n", what.c_str());
}
template <class T> void same(const T &got, const T &want, const std::string &what) {
	checks++;
	if (got == want) return;
	failures++;
	if constexpr (std::is_arithmetic_v<T>) {
		std::printf("FAIL %s: %g, want %g\n", what.c_str(), double(got), double(want));
	} else {
		std::printf("FAIL %s: %s, want %s\n", what.c_str(), got.c_str(), want.c_str());
	}
}
// fails checks that f throws a nereid::Error with a text, and returns it.
template <class F> nereid::Error fails(const std::string &text, F f) {
	checks++;
	try {
		f();
	} catch (const nereid::Error &e) {
		if (std::string(e.what()).find(text) == std::string::npos) {
			failures++, std::printf("FAIL the error is: %s\nwant: %s\n", e.what(), text.c_str());
		}
		return e;
	}
	failures++, std::printf("FAIL no error: %s\n", text.c_str());
	return nereid::Error(NEREID_OK, "");
}

// raw_pointers reports whether the device takes pointers without a size: it does not check accesses.
bool raw_pointers() { return device->name() == "cpu" || device->name().compare(0, 4, "cuda") == 0; }

TritonJITFunction &rule(const char *name) {
	return TritonJITFunction::get_instance(folder + "/rules.py", name);
}

// Buffer is memory that a launch takes as an argument: of the host or of the device.
template <class T> struct Buffer {
	explicit Buffer(std::vector<T> v) : values(std::move(v)) {
		if (device->host()) return;
		copy = std::make_unique<nereid::Tensor>(*device, nereid::Element<T>::dtype,
		                                        std::vector<int64_t>{int64_t(values.size())});
		copy->write(values.data(), copy->bytes());
	}
	T *data() { return copy ? static_cast<T *>(copy->address()) : values.data(); }
	nereid::TensorRef ref() { return copy ? copy->ref() : nereid::memory(data(), values.size()); }
	const std::vector<T> &read() {
		if (copy) copy->read(values.data(), copy->bytes());
		return values;
	}
	std::vector<T> values;
	std::unique_ptr<nereid::Tensor> copy;
};

void test_instances() {
	TritonJITFunction &f = rule("scale");
	TritonJITFunction &again = TritonJITFunction::get_instance(folder + "/./rules.py", "scale");
	check(&f == &again, "one instance for two spellings");
	check(&f != &rule("plain"), "another name is another instance");
	std::atomic<int> right{0};
	std::vector<std::thread> threads;
	for (int i = 0; i < 16; i++) {
		threads.emplace_back([&, i] {
			std::string path = folder + std::string(static_cast<size_t>(1 + i % 3), '/') + "rules.py";
			right += &TritonJITFunction::get_instance(path, "pair") == &rule("pair");
			Buffer<float> x(std::vector<float>(100, float(i))), out(std::vector<float>(100, 0));
			f(*device, 1, 1, 1, 4, 3, x.ref(), out.ref(), 100, 2.0f, 128);
			right += out.read()[99] == float(2 * i);
		});
	}
	for (std::thread &t : threads) t.join();
	same<int>(right, 32, "16 threads");
	same<int>(f.get_static_sig().num_args, 5, "parameters of scale");
	check(f.get_static_sig().at(4) == triton_jit::ArgType::CONSTEXPR, "BLOCK is a constexpr");
	check(f.get_static_sig().at(2) == triton_jit::ArgType::SPECIALIZED, "n is specialized");
	check(rule("plain").get_static_sig().at(1) == triton_jit::ArgType::NON_CONSTEXPR, "n is not specialized");
}

// A class with the methods of at::Tensor, and one with an Adaptor.
struct Like {
	enum class Type { Bool, Byte, Char, Short, Int, Long, UInt16, UInt32, UInt64, Half, BFloat16, Float, Double,
		Float8_e4m3fn, Float8_e5m2, Float8_e4m3fnuz, Float8_e5m2fnuz, ComplexFloat };
	struct Storage {
		size_t n;
		size_t nbytes() const { return n; }
	};
	std::vector<float> *values;
	Type type = Type::Float;
	bool cuda = false;
	void *data_ptr() const { return values->data() + 1; }
	Type scalar_type() const { return type; }
	int64_t storage_offset() const { return 1; }
	int64_t element_size() const { return 4; }
	Storage storage() const { return {values->size() * 4}; }
	bool is_cuda() const { return cuda; }
	int get_device() const { return 3; }
};
struct Own {
	std::vector<int32_t> values;
};

} // namespace

template <> struct nereid::Adaptor<Own> {
	static TensorRef ref(const Own &o) {
		void *data = const_cast<int32_t *>(o.values.data());
		return {data, NEREID_INT32, o.values.size() * 4, TensorRef::host, nullptr};
	}
};

namespace {

void test_rules() {
	const nereid::Kernel &k = rule("scale").kernel();
	alignas(64) static float x[64];
	auto of = [&](auto n, auto factor) { return k.signature(x, x, n, factor, 64); };
	same<std::string>(of(int64_t(5), 2.0f), "*fp32:16, *fp32:16, i64, fp32, 64", "int64_t and float");
	same<std::string>(of(48, 2.0), "*fp32:16, *fp32:16, i32:16, fp64, 64", "int and double");
	same<std::string>(of(1, std::nullopt), "*fp32:16, *fp32:16, 1, None, 64", "1 and nullopt");
	same<std::string>(of(int16_t(5), true), "*fp32:16, *fp32:16, i16, u1, 64", "int16_t and bool");
	same<std::string>(of(uint64_t(5), std::optional<int>()), "*fp32:16, *fp32:16, u64, None, 64", "uint64_t");
	same<std::string>(k.signature(x, nullptr, 5, std::variant<int, float>(2.0f), 64),
	                  "*fp32:16, *i8:16, i32, fp32, 64", "nullptr and a variant");
	same<std::string>(rule("plain").kernel().signature(x, 16, 1.5f, "set", NEREID_FLOAT32),
	                   "*fp32:16, i32, fp32, 'set', fp32", "do_not_specialize, a string and a type");
	same<std::string>(k.signature(nereid::arg("BLOCK", 32), nereid::arg("x_ptr", x), nereid::arg("out_ptr", x),
	                               nereid::arg("n", 5), nereid::arg("factor", nereid::constant(3))),
	                   "*fp32:16, *fp32:16, i32, 3, 32", "arguments by name");
	std::vector<float> values(33);
	Like t{&values};
	same<size_t>(nereid::ref(t).bytes, 128, "bytes behind a tensor's first element");
	same<std::string>(k.signature(t, Own{{1, 2}}, 5, 2.0f, 64), "*fp32:16, *i32:16, i32, fp32, 64", "adaptors");
	t.type = Like::Type::ComplexFloat;
	fails("that Triton does not have", [&] { k.signature(t, x, 5, 2.0f, 64); });
	t.type = Like::Type::Float;
	Like gpu{&values};
	gpu.cuda = true;
	fails("on the host and on cuda:3", [&] { k.launch(nullptr, 1, nereid::Options(), t, gpu, 5, 2.0f, 64); });
}

void test_launches() {
	Buffer<float> x(std::vector<float>(1000, 1.5f)), out(std::vector<float>(1000, 0));
	if (raw_pointers()) {
		rule("scale")(*device, 8, 1, 1, 4, 3, x.data(), out.data(), int64_t(1000), 2.0, 128);
		same<float>(out.read()[999], 3, "scale");
	}
	rule("scale")(*device, 8, 1, 1, 4, 3, x.ref(), out.ref(), 1000, std::optional<float>(), 128);
	same<float>(out.read()[999], 1.5f, "scale by None");
	std::vector<float> near(100, 1), far(100, 0); // of the host, whatever the device
	nereid::TensorRef from = nereid::memory(near.data(), 100), to = nereid::memory(far.data(), 100);
	from.device = to.device = nereid::TensorRef::host;
	rule("scale")(*device, 1, 1, 1, 4, 3, from, to, 100, 3.0f, 128);
	same<float>(far[99], 3, "memory of the host");
	fails("x.data() for a std::vector x", [&] { rule("scale")(*device, 1, 1, 1, 4, 3, near, far, 100, 3.0f, 128); });
	Buffer<int32_t> two({0, 0});
	rule("pair")(*device, 1, 1, 1, 4, 3, two.ref(), std::make_tuple(7, int64_t(5)), std::array<int, 2>{10, 20});
	same<int>(two.read()[0], 705, "a tuple");
	same<int>(two.read()[1], 32, "a constexpr tuple");
	rule("pair")(*device, 1, 1, 1, 4, 3, two.ref(), std::vector<int>{1, 2, 3}, std::make_tuple(true, 2));
	same<int>(two.read()[1], 6, "a vector");
	rule("maybe")(*device, 1, 1, 1, 4, 3, two.ref(), std::optional<float *>(), false);
	same<int>(two.read()[0], 1, "a pointer that is None");
	rule("maybe")(*device, 1, 1, 1, 4, 3, two.ref(), nullptr, true);
	same<int>(two.read()[0], raw_pointers() ? 12 : 13, "nullptr and true"); // else a pointer to nothing, not 0
	rule("plain")(*device, 1, 1, 1, 4, 3, two.ref(), 1, 2.75f, "set", NEREID_INT32);
	same<int>(two.read()[1], 2, "a string and a type");
	Buffer<int32_t> tuned(std::vector<int32_t>(300, 0));
	auto grid = [](const nereid::Meta &m) { return nereid::Grid((m.at("n") - 1) / m.at("BLOCK") + 1); };
	rule("tuned").kernel().launch(*device, grid, nereid::Options(), tuned.ref(), 300);
	same<int>(tuned.read()[299], 299, "a grid function");
	auto bad = [](const nereid::Meta &m) { return nereid::Grid(m.at("nothing")); };
	fails("no integer argument nothing",
	      [&] { rule("tuned").kernel().launch(*device, bad, nereid::Options(), tuned.ref(), 300); });
}

void test_bound() {
	if (!raw_pointers()) return;
	Buffer<float> x(std::vector<float>(64, 1.5f)), out(std::vector<float>(64, 0));
	const nereid::Kernel &k = rule("scale").kernel();
	nereid::Bound b = k.bind(*device, nereid::Options(4, 3), x.data(), out.data(), 63, 2.0f, 64);
	same<size_t>(b.params(), 4, "parameters of a bound kernel");
	b(nullptr, 1, 1, 1, x.data(), out.data(), int64_t(61), 4.0);
	same<float>(out.read()[60], 6, "a bound kernel");
	same<float>(out.read()[61], 0, "a bound kernel leaves the rest");
	fails("takes 4 arguments, not 2", [&] { b(nullptr, 1, 1, 1, x.data(), 5); });
	fails("argument 3 of the bound kernel is a i32",
	      [&] { b(nullptr, 1, 1, 1, x.data(), out.data(), 1ll << 40, 1.f); });
	fails("16", [&] { b(nullptr, 1, 1, 1, x.data() + 1, out.data(), 5, 1.f); });
	fails("argument 1 of the bound kernel is a *fp32", [&] { b(nullptr, 1, 1, 1, 5, out.data(), 5, 1.f); });

	// As libtriton_jit's callers collect arguments themselves.
	TritonJITFunction &f = rule("scale");
	triton_jit::ParameterBuffer buffer;
	std::vector<std::string> parts;
	triton_jit::ArgHandle handle = {f.get_static_sig(), buffer, parts, 0};
	handle.handle_args(x.data(), out.data(), int64_t(61), 8.0f);
	handle.handle_arg(64);
	handle.append_global_scratch();
	std::string signature = triton_jit::join_sig(parts);
	same<std::string>(signature, "*fp32:16,*fp32:16,i64,fp32,64", "a signature");
	std::vector<void *> values = buffer.get_ptrs();
	f.launch_with_raw_args(*device, 1, 1, 1, 4, 3, signature, values.data(), values.size());
	same<float>(out.read()[60], 12, "raw arguments");
	fails("has 4 values, but 3 are given",
	      [&] { f.launch_with_raw_args(*device, 1, 1, 1, 4, 3, signature, values.data(), 3); });
}

void test_errors() {
	Buffer<float> x(std::vector<float>(64, 0));
	nereid::Error e = fails("[shape-mismatch]", [&] { rule("broken")(*device, 1, 1, 1, 4, 3, x.ref(), 64); });
	same<int>(e.status(), NEREID_ERR_COMPILE, "status of a broken kernel");
	check(std::string(e.file()).find("rules.py") != std::string::npos, "file of a broken kernel");
	same<int>(e.line(), 40, "line of a broken kernel");
	same<int>(e.column(), 43, "column of a broken kernel");
	same<size_t>(e.diagnostics().size(), 1, "diagnostics of a broken kernel");
	check(std::string(e.what()).find("^") != std::string::npos, "a caret under a broken kernel");

	e = fails("BLOCK", [&] { rule("scale")(*device, 1, 1, 1, 4, 3, x.ref(), x.ref(), 64, 2.0f); });
	same<int>(e.status(), NEREID_ERR_ARGUMENT, "status of a missing argument");
	same<std::string>(e.parameter(), "BLOCK", "the missing argument");
	fails("no_such", [&] { rule("no_such"); });
	fails("no_such.py", [&] { TritonJITFunction::get_instance(folder + "/no_such.py", "f"); });
	fails("cuda", [] { nereid::Device("cuda:977"); });
	fails("programs in one dimension", [] { nereid::Grid(int64_t(1) << 40); });
	try {
		rule("no_such");
	} catch (const std::runtime_error &) {
		return; // as programs for libtriton_jit catch errors
	}
	check(false, "an error is a std::runtime_error");
}

} // namespace

int main(int, char **argv) try {
	nereid::Device d(argv[1]);
	device = &d;
	folder = argv[2];
	nereid::set_default_device(argv[1]);
	test_instances();
	test_rules();
	test_launches();
	test_bound();
	test_errors();
	std::printf("%s: %d of %d checks failed\n", d.name().c_str(), failures, checks);
	return failures ? 1 : 0;
} catch (const std::exception &e) {
	std::printf("%s\n", e.what());
	return 1;
}
