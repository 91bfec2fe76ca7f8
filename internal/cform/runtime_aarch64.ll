; of C source b672eacdaefa1596880c23fed3768c74392d891c8c1b93b9af0b519f38bcac96
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"
target triple = "aarch64-unknown-linux-gnu"

%struct.anon = type { %union.pthread_mutex_t, %union.pthread_cond_t, %union.pthread_cond_t, [255 x i64], i32, i32, i32, i32, ptr, i32, i32 }
%union.pthread_mutex_t = type { %struct.__pthread_mutex_s, [8 x i8] }
%struct.__pthread_mutex_s = type { i32, i32, i32, i32, i32, i32, %struct.__pthread_internal_list }
%struct.__pthread_internal_list = type { ptr, ptr }
%union.pthread_cond_t = type { %struct.__pthread_cond_s }
%struct.__pthread_cond_s = type { %union.__atomic_wide_counter, %union.__atomic_wide_counter, [2 x i32], [2 x i32], i32, i32, [2 x i32] }
%union.__atomic_wide_counter = type { i64 }
%struct.anon.1 = type { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr }
%struct.anon.2 = type { ptr, i64 }
%struct.operator = type { ptr, ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr, i64 }
%struct.PREFIX_variant = type { i64, i64, i64, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, ptr, ptr, ptr }
%struct.PREFIX_place = type { i32, ptr, i32 }
%struct.constant = type { ptr, ptr }
%struct.__va_list = type { ptr, ptr, ptr, i32, i32 }
%struct.call = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr }
%struct.group = type { ptr, i64, i64, i64, ptr, ptr }
%struct.ort_base = type { ptr, ptr }
%struct.domains = type { ptr, [64 x ptr], [64 x ptr], i64, ptr }
%struct.ort_api = type { ptr, [25 x ptr], ptr, ptr, ptr, [22 x ptr], ptr, [5 x ptr], ptr, ptr, ptr, ptr, ptr, ptr, ptr, [1 x ptr], ptr, [19 x ptr], ptr, ptr, [3 x ptr], ptr, ptr, [1 x ptr], ptr, [5 x ptr], ptr, [93 x ptr], ptr, [74 x ptr], ptr, [1 x ptr], ptr, ptr, [2 x ptr], ptr }
%struct.registered = type { %struct.ort_operator, ptr }
%struct.ort_operator = type { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, [4 x ptr], ptr, ptr, ptr, ptr, ptr, [8 x ptr] }
%struct.argument = type { ptr, i64, i64, i64 }
%struct.state = type { ptr, ptr }
%struct.code = type { i64, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr, i64, ptr }
%struct.bound = type { ptr, ptr, i32, i32, i32, ptr, ptr }
%struct.job = type { ptr, ptr, [5 x i64], i64, i64, i64, i32, i32 }
%struct.helpers = type { ptr, ptr }
%struct.encoded = type { [128 x i8] }
%struct.tensor_map = type { i64, i64, i64, i64, i64, i64, ptr }
%struct.attribute = type { i32, i32, [16 x i32] }
%struct.launch_config = type { [3 x i32], [3 x i32], i32, ptr, ptr, i32 }
%struct.cpu_set_t = type { [16 x i64] }
%struct.timespec = type { i64, i64 }
%struct.choices = type { [256 x %struct.anon.3] }
%struct.anon.3 = type { i64, ptr }
%struct.step = type { i64, double }
%struct.tensor = type { ptr, i64, i64, i64, ptr }
%struct.kernel = type { ptr, ptr, [128 x double] }
%struct.attribute_of = type { ptr, i64, ptr }
%struct.shape = type { i64, [33 x i64], [33 x ptr] }
%struct.known = type { [128 x double], [128 x ptr], [128 x ptr], [128 x i64], [128 x i64] }
%struct.ort_threads = type { ptr, ptr }
%struct.operand = type { i64, ptr }
%struct.dim = type { i64, i64, i64, ptr }

@message = internal thread_local global [512 x i8] zeroinitializer, align 1
@PREFIX_status.names = internal constant [8 x ptr] [ptr @.str, ptr @.str.1, ptr @.str.2, ptr @.str.3, ptr @.str.4, ptr @.str.5, ptr @.str.6, ptr @.str.7], align 8
@.str = private unnamed_addr constant [3 x i8] c"ok\00", align 1
@.str.1 = private unnamed_addr constant [13 x i8] c"bad argument\00", align 1
@.str.2 = private unnamed_addr constant [10 x i8] c"not found\00", align 1
@.str.3 = private unnamed_addr constant [8 x i8] c"no code\00", align 1
@.str.4 = private unnamed_addr constant [10 x i8] c"no device\00", align 1
@.str.5 = private unnamed_addr constant [10 x i8] c"no memory\00", align 1
@.str.6 = private unnamed_addr constant [7 x i8] c"driver\00", align 1
@.str.7 = private unnamed_addr constant [8 x i8] c"stopped\00", align 1
@.str.8 = private unnamed_addr constant [15 x i8] c"unknown status\00", align 1
@pool = internal global %struct.anon zeroinitializer, align 8
@PREFIX_count = external constant i32, align 4
@PREFIX_variants = external constant [0 x ptr], align 8
@.str.9 = private unnamed_addr constant [23 x i8] c"there is no variant %s\00", align 1
@.str.10 = private unnamed_addr constant [15 x i8] c"without a name\00", align 1
@.str.11 = private unnamed_addr constant [22 x i8] c"no variant of %s fits\00", align 1
@.str.12 = private unnamed_addr constant [23 x i8] c"a group without a name\00", align 1
@last = internal thread_local(initialexec) global ptr null, align 8
@.str.13 = private unnamed_addr constant [62 x i8] c"the operators need ONNX Runtime 1.17 or later, and this is %s\00", align 1
@lock = internal global %union.pthread_mutex_t zeroinitializer, align 8
@ort = internal global ptr null, align 8
@.str.14 = private unnamed_addr constant [25 x i8] c"there is no such variant\00", align 1
@.str.15 = private unnamed_addr constant [27 x i8] c"%s: there are no arguments\00", align 1
@.str.16 = private unnamed_addr constant [25 x i8] c"%s: %s is a null pointer\00", align 1
@.str.17 = private unnamed_addr constant [28 x i8] c"%s: %s is no multiple of 16\00", align 1
@cuda = internal global %struct.anon.1 zeroinitializer, align 8
@open_cuda.symbols = internal constant [16 x %struct.anon.2] [%struct.anon.2 { ptr @.str.18, i64 8 }, %struct.anon.2 { ptr @.str.19, i64 24 }, %struct.anon.2 { ptr @.str.20, i64 32 }, %struct.anon.2 { ptr @.str.21, i64 40 }, %struct.anon.2 { ptr @.str.22, i64 48 }, %struct.anon.2 { ptr @.str.23, i64 56 }, %struct.anon.2 { ptr @.str.24, i64 16 }, %struct.anon.2 { ptr @.str.25, i64 64 }, %struct.anon.2 { ptr @.str.26, i64 72 }, %struct.anon.2 { ptr @.str.27, i64 80 }, %struct.anon.2 { ptr @.str.28, i64 88 }, %struct.anon.2 { ptr @.str.29, i64 96 }, %struct.anon.2 { ptr @.str.30, i64 104 }, %struct.anon.2 { ptr @.str.31, i64 112 }, %struct.anon.2 { ptr @.str.32, i64 120 }, %struct.anon.2 { ptr @.str.33, i64 128 }], align 8
@.str.18 = private unnamed_addr constant [16 x i8] c"cuCtxGetCurrent\00", align 1
@.str.19 = private unnamed_addr constant [15 x i8] c"cuCtxGetDevice\00", align 1
@.str.20 = private unnamed_addr constant [21 x i8] c"cuDeviceGetAttribute\00", align 1
@.str.21 = private unnamed_addr constant [17 x i8] c"cuModuleLoadData\00", align 1
@.str.22 = private unnamed_addr constant [20 x i8] c"cuModuleGetFunction\00", align 1
@.str.23 = private unnamed_addr constant [19 x i8] c"cuFuncSetAttribute\00", align 1
@.str.24 = private unnamed_addr constant [15 x i8] c"cuLaunchKernel\00", align 1
@.str.25 = private unnamed_addr constant [17 x i8] c"cuLaunchKernelEx\00", align 1
@.str.26 = private unnamed_addr constant [16 x i8] c"cuMemAllocAsync\00", align 1
@.str.27 = private unnamed_addr constant [15 x i8] c"cuMemFreeAsync\00", align 1
@.str.28 = private unnamed_addr constant [20 x i8] c"cuStreamIsCapturing\00", align 1
@.str.29 = private unnamed_addr constant [14 x i8] c"cuEventCreate\00", align 1
@.str.30 = private unnamed_addr constant [14 x i8] c"cuEventRecord\00", align 1
@.str.31 = private unnamed_addr constant [19 x i8] c"cuEventSynchronize\00", align 1
@.str.32 = private unnamed_addr constant [19 x i8] c"cuEventElapsedTime\00", align 1
@.str.33 = private unnamed_addr constant [18 x i8] c"cuEventDestroy_v2\00", align 1
@.str.34 = private unnamed_addr constant [12 x i8] c"NEREID_CUDA\00", align 1
@.str.35 = private unnamed_addr constant [24 x i8] c"there is no CUDA driver\00", align 1
@.str.36 = private unnamed_addr constant [13 x i8] c"libcuda.so.1\00", align 1
@.str.37 = private unnamed_addr constant [28 x i8] c"there is no CUDA driver: %s\00", align 1
@.str.38 = private unnamed_addr constant [41 x i8] c"the CUDA driver is too old: it has no %s\00", align 1
@.str.39 = private unnamed_addr constant [23 x i8] c"cuTensorMapEncodeTiled\00", align 1
@.str.40 = private unnamed_addr constant [32 x i8] c"no CUDA context is current (%d)\00", align 1
@.str.41 = private unnamed_addr constant [46 x i8] c"the CUDA driver does not name the device (%d)\00", align 1
@.str.42 = private unnamed_addr constant [36 x i8] c"%s has no code for this GPU (%d.%d)\00", align 1
@.str.43 = private unnamed_addr constant [34 x i8] c"%s has no code for this processor\00", align 1
@.str.44 = private unnamed_addr constant [2 x i8] c",\00", align 1
@.str.45 = private unnamed_addr constant [39 x i8] c"%s: the driver does not launch it (%d)\00", align 1
@.str.46 = private unnamed_addr constant [14 x i8] c"out of memory\00", align 1
@.str.47 = private unnamed_addr constant [40 x i8] c"the driver does not load %s for %s (%d)\00", align 1
@.str.48 = private unnamed_addr constant [40 x i8] c"%s needs %d bytes of shared memory (%d)\00", align 1
@.str.49 = private unnamed_addr constant [38 x i8] c"%s: a GPU has no grid of %u x %u x %u\00", align 1
@.str.50 = private unnamed_addr constant [40 x i8] c"%s: no scratch memory of %zu bytes (%d)\00", align 1
@.str.51 = private unnamed_addr constant [61 x i8] c"the CUDA driver is too old: it has no cuTensorMapEncodeTiled\00", align 1
@.str.52 = private unnamed_addr constant [95 x i8] c"%s: the driver makes no tensor map of %s (%d): addresses and strides are multiples of 16 bytes\00", align 1
@.str.53 = private unnamed_addr constant [40 x i8] c"%s: a grid of %u x %u x %u is too large\00", align 1
@.str.54 = private unnamed_addr constant [36 x i8] c"%s: no scratch memory of %llu bytes\00", align 1
@.str.55 = private unnamed_addr constant [15 x i8] c"%s has stopped\00", align 1
@processors.known = internal global i32 0, align 4
@after_fork.mutex = internal constant %union.pthread_mutex_t zeroinitializer, align 8
@after_fork.cond = internal constant %union.pthread_cond_t zeroinitializer, align 8
@everywhere = internal constant { i32, [4 x i8], ptr, i32, [4 x i8] } zeroinitializer, align 8
@fastest.measuring = internal global %union.pthread_mutex_t zeroinitializer, align 8
@.str.57 = private unnamed_addr constant [35 x i8] c"no variant of %s takes these sizes\00", align 1
@.str.58 = private unnamed_addr constant [40 x i8] c"%s: the driver does not measure it (%d)\00", align 1
@.str.59 = private unnamed_addr constant [29 x i8] c"%s: a grid has no size of %g\00", align 1
@make_domains.all = internal global ptr null, align 8
@PREFIX_operators = external constant [0 x %struct.operator], align 8
@functions = internal constant { i32, [4 x i8], ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, [4 x ptr], ptr, ptr, ptr, ptr, ptr, [8 x ptr] } { i32 17, [4 x i8] zeroinitializer, ptr null, ptr @operator_name, ptr @operator_provider, ptr @input_type, ptr @input_count, ptr @output_type, ptr @output_count, ptr null, ptr @free, ptr @needed, ptr @needed, ptr @needed, [4 x ptr] [ptr @one, ptr @one, ptr @one, ptr @one], ptr @create_kernel, ptr @compute_kernel, ptr @infer_shapes, ptr @one, ptr @newest, [8 x ptr] zeroinitializer }, align 8
@.str.61 = private unnamed_addr constant [22 x i8] c"CUDAExecutionProvider\00", align 1
@.str.62 = private unnamed_addr constant [21 x i8] c"CPUExecutionProvider\00", align 1
@.str.63 = private unnamed_addr constant [32 x i8] c"%s: the attribute %s is missing\00", align 1
@.str.64 = private unnamed_addr constant [18 x i8] c"%s: %s is missing\00", align 1
@.str.65 = private unnamed_addr constant [28 x i8] c"a tensor has %zu dimensions\00", align 1
@.str.66 = private unnamed_addr constant [47 x i8] c"%s: %s has %zu dimensions, and must have %s%zu\00", align 1
@.str.67 = private unnamed_addr constant [10 x i8] c"at least \00", align 1
@.str.68 = private unnamed_addr constant [1 x i8] zeroinitializer, align 1
@.str.69 = private unnamed_addr constant [42 x i8] c"%s: the first dimensions of %s do not fit\00", align 1
@.str.70 = private unnamed_addr constant [46 x i8] c"%s: dimension %zu of %s is %g, and must be %g\00", align 1
@.str.71 = private unnamed_addr constant [35 x i8] c"%s: dimension %zu of %s is no size\00", align 1
@.str.72 = private unnamed_addr constant [42 x i8] c"%s: the output %s is missing in the model\00", align 1
@.str.73 = private unnamed_addr constant [31 x i8] c"%s: %s has too many dimensions\00", align 1
@.str.74 = private unnamed_addr constant [26 x i8] c"%s: %s has no room for %g\00", align 1
@.str.75 = private unnamed_addr constant [27 x i8] c"there are too many domains\00", align 1
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @end_pool, ptr null }]

; Function Attrs: nounwind uwtable
define ptr @PREFIX_error() #0 {
  %1 = call align 1 ptr @llvm.threadlocal.address.p0(ptr align 1 @message)
  %2 = getelementptr inbounds [512 x i8], ptr %1, i64 0, i64 0
  ret ptr %2
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull) #1

; Function Attrs: nounwind uwtable
define ptr @PREFIX_status(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  %3 = load i32, ptr %2, align 4
  %4 = icmp sge i32 %3, 0
  br i1 %4, label %5, label %13

5:                                                ; preds = %1
  %6 = load i32, ptr %2, align 4
  %7 = icmp slt i32 %6, 8
  br i1 %7, label %8, label %13

8:                                                ; preds = %5
  %9 = load i32, ptr %2, align 4
  %10 = sext i32 %9 to i64
  %11 = getelementptr inbounds [8 x ptr], ptr @PREFIX_status.names, i64 0, i64 %10
  %12 = load ptr, ptr %11, align 8
  br label %14

13:                                               ; preds = %5, %1
  br label %14

14:                                               ; preds = %13, %8
  %15 = phi ptr [ %12, %8 ], [ @.str.8, %13 ]
  ret ptr %15
}

; Function Attrs: nounwind uwtable
define internal void @end_pool() #0 {
  %1 = alloca i32, align 4
  %2 = load i32, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 5), align 4
  %3 = call i32 @getpid() #12
  %4 = icmp ne i32 %2, %3
  br i1 %4, label %5, label %6

5:                                                ; preds = %0
  br label %23

6:                                                ; preds = %0
  %7 = call i32 @pthread_mutex_lock(ptr noundef @pool) #12
  store i32 1, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 6), align 8
  %8 = call i32 @pthread_cond_broadcast(ptr noundef getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 1)) #12
  %9 = call i32 @pthread_mutex_unlock(ptr noundef @pool) #12
  store i32 0, ptr %1, align 4
  br label %10

10:                                               ; preds = %20, %6
  %11 = load i32, ptr %1, align 4
  %12 = load i32, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 4), align 8
  %13 = icmp slt i32 %11, %12
  br i1 %13, label %14, label %23

14:                                               ; preds = %10
  %15 = load i32, ptr %1, align 4
  %16 = sext i32 %15 to i64
  %17 = getelementptr inbounds [255 x i64], ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 3), i64 0, i64 %16
  %18 = load i64, ptr %17, align 8
  %19 = call i32 @pthread_join(i64 noundef %18, ptr noundef null)
  br label %20

20:                                               ; preds = %14
  %21 = load i32, ptr %1, align 4
  %22 = add nsw i32 %21, 1
  store i32 %22, ptr %1, align 4
  br label %10, !llvm.loop !4

23:                                               ; preds = %5, %10
  ret void
}

; Function Attrs: nounwind
declare i32 @getpid() #2

; Function Attrs: nounwind
declare i32 @pthread_mutex_lock(ptr noundef) #2

; Function Attrs: nounwind
declare i32 @pthread_cond_broadcast(ptr noundef) #2

; Function Attrs: nounwind
declare i32 @pthread_mutex_unlock(ptr noundef) #2

declare i32 @pthread_join(i64 noundef, ptr noundef) #3

; Function Attrs: nounwind uwtable
define i32 @PREFIX_fits(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = load ptr, ptr %4, align 8
  %7 = call i32 @check(ptr noundef %5, ptr noundef %6)
  %8 = icmp eq i32 %7, 0
  %9 = zext i1 %8 to i32
  ret i32 %9
}

; Function Attrs: nounwind uwtable
define internal i32 @check(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i32 0, ptr %8, align 4
  %9 = load ptr, ptr %4, align 8
  %10 = icmp ne ptr %9, null
  br i1 %10, label %13, label %11

11:                                               ; preds = %2
  %12 = call i32 (i32, ptr, ...) @fail(i32 noundef 2, ptr noundef @.str.14)
  store i32 %12, ptr %3, align 4
  br label %116

13:                                               ; preds = %2
  %14 = load ptr, ptr %5, align 8
  %15 = icmp ne ptr %14, null
  br i1 %15, label %26, label %16

16:                                               ; preds = %13
  %17 = load ptr, ptr %4, align 8
  %18 = getelementptr inbounds %struct.PREFIX_variant, ptr %17, i32 0, i32 0
  %19 = load i64, ptr %18, align 8
  %20 = icmp sgt i64 %19, 0
  br i1 %20, label %21, label %26

21:                                               ; preds = %16
  %22 = load ptr, ptr %4, align 8
  %23 = getelementptr inbounds %struct.PREFIX_variant, ptr %22, i32 0, i32 6
  %24 = load ptr, ptr %23, align 8
  %25 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.15, ptr noundef %24)
  store i32 %25, ptr %3, align 4
  br label %116

26:                                               ; preds = %16, %13
  %27 = load ptr, ptr %4, align 8
  %28 = getelementptr inbounds %struct.PREFIX_variant, ptr %27, i32 0, i32 1
  %29 = load i64, ptr %28, align 8
  %30 = load ptr, ptr %4, align 8
  %31 = getelementptr inbounds %struct.PREFIX_variant, ptr %30, i32 0, i32 2
  %32 = load i64, ptr %31, align 8
  %33 = or i64 %29, %32
  store i64 %33, ptr %6, align 8
  br label %34

34:                                               ; preds = %83, %26
  %35 = load i64, ptr %6, align 8
  %36 = icmp ne i64 %35, 0
  br i1 %36, label %37, label %88

37:                                               ; preds = %34
  %38 = load i64, ptr %6, align 8
  %39 = call i64 @llvm.cttz.i64(i64 %38, i1 false)
  %40 = trunc i64 %39 to i32
  store i32 %40, ptr %7, align 4
  %41 = load ptr, ptr %5, align 8
  %42 = load i32, ptr %7, align 4
  %43 = sext i32 %42 to i64
  %44 = getelementptr inbounds i64, ptr %41, i64 %43
  %45 = load i64, ptr %44, align 8
  %46 = icmp eq i64 %45, 0
  br i1 %46, label %47, label %56

47:                                               ; preds = %37
  %48 = load ptr, ptr %4, align 8
  %49 = getelementptr inbounds %struct.PREFIX_variant, ptr %48, i32 0, i32 1
  %50 = load i64, ptr %49, align 8
  %51 = load i32, ptr %7, align 4
  %52 = zext i32 %51 to i64
  %53 = lshr i64 %50, %52
  %54 = and i64 %53, 1
  %55 = icmp ne i64 %54, 0
  br i1 %55, label %73, label %56

56:                                               ; preds = %47, %37
  %57 = load ptr, ptr %5, align 8
  %58 = load i32, ptr %7, align 4
  %59 = sext i32 %58 to i64
  %60 = getelementptr inbounds i64, ptr %57, i64 %59
  %61 = load i64, ptr %60, align 8
  %62 = urem i64 %61, 16
  %63 = icmp ne i64 %62, 0
  br i1 %63, label %64, label %82

64:                                               ; preds = %56
  %65 = load ptr, ptr %4, align 8
  %66 = getelementptr inbounds %struct.PREFIX_variant, ptr %65, i32 0, i32 2
  %67 = load i64, ptr %66, align 8
  %68 = load i32, ptr %7, align 4
  %69 = zext i32 %68 to i64
  %70 = lshr i64 %67, %69
  %71 = and i64 %70, 1
  %72 = icmp ne i64 %71, 0
  br i1 %72, label %73, label %82

73:                                               ; preds = %64, %47
  %74 = load ptr, ptr %4, align 8
  %75 = load i32, ptr %7, align 4
  %76 = load ptr, ptr %5, align 8
  %77 = load i32, ptr %7, align 4
  %78 = sext i32 %77 to i64
  %79 = getelementptr inbounds i64, ptr %76, i64 %78
  %80 = load i64, ptr %79, align 8
  %81 = call i32 @check_argument(ptr noundef %74, i32 noundef %75, i64 noundef %80)
  store i32 %81, ptr %3, align 4
  br label %116

82:                                               ; preds = %64, %56
  br label %83

83:                                               ; preds = %82
  %84 = load i64, ptr %6, align 8
  %85 = sub i64 %84, 1
  %86 = load i64, ptr %6, align 8
  %87 = and i64 %86, %85
  store i64 %87, ptr %6, align 8
  br label %34, !llvm.loop !7

88:                                               ; preds = %34
  store i32 64, ptr %7, align 4
  br label %89

89:                                               ; preds = %111, %88
  %90 = load i32, ptr %7, align 4
  %91 = sext i32 %90 to i64
  %92 = load ptr, ptr %4, align 8
  %93 = getelementptr inbounds %struct.PREFIX_variant, ptr %92, i32 0, i32 0
  %94 = load i64, ptr %93, align 8
  %95 = icmp slt i64 %91, %94
  br i1 %95, label %96, label %100

96:                                               ; preds = %89
  %97 = load i32, ptr %8, align 4
  %98 = icmp ne i32 %97, 0
  %99 = xor i1 %98, true
  br label %100

100:                                              ; preds = %96, %89
  %101 = phi i1 [ false, %89 ], [ %99, %96 ]
  br i1 %101, label %102, label %114

102:                                              ; preds = %100
  %103 = load ptr, ptr %4, align 8
  %104 = load i32, ptr %7, align 4
  %105 = load ptr, ptr %5, align 8
  %106 = load i32, ptr %7, align 4
  %107 = sext i32 %106 to i64
  %108 = getelementptr inbounds i64, ptr %105, i64 %107
  %109 = load i64, ptr %108, align 8
  %110 = call i32 @check_argument(ptr noundef %103, i32 noundef %104, i64 noundef %109)
  store i32 %110, ptr %8, align 4
  br label %111

111:                                              ; preds = %102
  %112 = load i32, ptr %7, align 4
  %113 = add nsw i32 %112, 1
  store i32 %113, ptr %7, align 4
  br label %89, !llvm.loop !8

114:                                              ; preds = %100
  %115 = load i32, ptr %8, align 4
  store i32 %115, ptr %3, align 4
  br label %116

116:                                              ; preds = %114, %73, %21, %11
  %117 = load i32, ptr %3, align 4
  ret i32 %117
}

; Function Attrs: nounwind uwtable
define i32 @PREFIX_runs(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = icmp ne ptr %5, null
  br i1 %6, label %7, label %12

7:                                                ; preds = %2
  %8 = load ptr, ptr %3, align 8
  %9 = load ptr, ptr %4, align 8
  %10 = call i32 @runs(ptr noundef %8, ptr noundef %9)
  %11 = icmp eq i32 %10, 0
  br label %12

12:                                               ; preds = %7, %2
  %13 = phi i1 [ false, %2 ], [ %11, %7 ]
  %14 = zext i1 %13 to i32
  ret i32 %14
}

; Function Attrs: nounwind uwtable
define internal i32 @runs(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %6 = load ptr, ptr %4, align 8
  %7 = icmp ne ptr %6, null
  br i1 %7, label %8, label %16

8:                                                ; preds = %2
  %9 = load ptr, ptr %4, align 8
  %10 = getelementptr inbounds %struct.PREFIX_place, ptr %9, i32 0, i32 0
  %11 = load i32, ptr %10, align 8
  %12 = icmp ne i32 %11, 0
  br i1 %12, label %13, label %16

13:                                               ; preds = %8
  %14 = load ptr, ptr %3, align 8
  %15 = call i32 @gpu_runs(ptr noundef %14)
  br label %19

16:                                               ; preds = %8, %2
  %17 = load ptr, ptr %3, align 8
  %18 = call i32 @host_code(ptr noundef %17, ptr noundef %5)
  br label %19

19:                                               ; preds = %16, %13
  %20 = phi i32 [ %15, %13 ], [ %18, %16 ]
  ret i32 %20
}

; Function Attrs: nounwind uwtable
define i32 @PREFIX_launch(ptr noundef %0, ptr noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4, ptr noundef %5) #0 {
  %7 = alloca i32, align 4
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca ptr, align 8
  %14 = alloca [3 x i32], align 4
  %15 = alloca i32, align 4
  store ptr %0, ptr %8, align 8
  store ptr %1, ptr %9, align 8
  store i32 %2, ptr %10, align 4
  store i32 %3, ptr %11, align 4
  store i32 %4, ptr %12, align 4
  store ptr %5, ptr %13, align 8
  %16 = load i32, ptr %10, align 4
  %17 = getelementptr inbounds [3 x i32], ptr %14, i64 0, i64 0
  store i32 %16, ptr %17, align 4
  %18 = load i32, ptr %11, align 4
  %19 = getelementptr inbounds [3 x i32], ptr %14, i64 0, i64 1
  store i32 %18, ptr %19, align 4
  %20 = load i32, ptr %12, align 4
  %21 = getelementptr inbounds [3 x i32], ptr %14, i64 0, i64 2
  store i32 %20, ptr %21, align 4
  %22 = load ptr, ptr %8, align 8
  %23 = icmp ne ptr %22, null
  br i1 %23, label %24, label %34

24:                                               ; preds = %6
  %25 = load i32, ptr %10, align 4
  %26 = icmp ne i32 %25, 0
  br i1 %26, label %27, label %33

27:                                               ; preds = %24
  %28 = load i32, ptr %11, align 4
  %29 = icmp ne i32 %28, 0
  br i1 %29, label %30, label %33

30:                                               ; preds = %27
  %31 = load i32, ptr %12, align 4
  %32 = icmp ne i32 %31, 0
  br i1 %32, label %34, label %33

33:                                               ; preds = %30, %27, %24
  store i32 0, ptr %7, align 4
  br label %53

34:                                               ; preds = %30, %6
  %35 = load ptr, ptr %8, align 8
  %36 = load ptr, ptr %13, align 8
  %37 = call i32 @check(ptr noundef %35, ptr noundef %36)
  store i32 %37, ptr %15, align 4
  %38 = icmp ne i32 %37, 0
  br i1 %38, label %39, label %41

39:                                               ; preds = %34
  %40 = load i32, ptr %15, align 4
  store i32 %40, ptr %7, align 4
  br label %53

41:                                               ; preds = %34
  %42 = load ptr, ptr %8, align 8
  %43 = load ptr, ptr %9, align 8
  %44 = icmp ne ptr %43, null
  br i1 %44, label %45, label %47

45:                                               ; preds = %41
  %46 = load ptr, ptr %9, align 8
  br label %48

47:                                               ; preds = %41
  br label %48

48:                                               ; preds = %47, %45
  %49 = phi ptr [ %46, %45 ], [ @everywhere, %47 ]
  %50 = getelementptr inbounds [3 x i32], ptr %14, i64 0, i64 0
  %51 = load ptr, ptr %13, align 8
  %52 = call i32 @launch(ptr noundef %42, ptr noundef %49, ptr noundef null, ptr noundef %50, ptr noundef %51)
  store i32 %52, ptr %7, align 4
  br label %53

53:                                               ; preds = %48, %39, %33
  %54 = load i32, ptr %7, align 4
  ret i32 %54
}

; Function Attrs: nounwind uwtable
define internal i32 @launch(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4) #0 {
  %6 = alloca i32, align 4
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca ptr, align 8
  %11 = alloca ptr, align 8
  store ptr %0, ptr %7, align 8
  store ptr %1, ptr %8, align 8
  store ptr %2, ptr %9, align 8
  store ptr %3, ptr %10, align 8
  store ptr %4, ptr %11, align 8
  %12 = load ptr, ptr %10, align 8
  %13 = getelementptr inbounds i32, ptr %12, i64 0
  %14 = load i32, ptr %13, align 4
  %15 = icmp ne i32 %14, 0
  br i1 %15, label %16, label %26

16:                                               ; preds = %5
  %17 = load ptr, ptr %10, align 8
  %18 = getelementptr inbounds i32, ptr %17, i64 1
  %19 = load i32, ptr %18, align 4
  %20 = icmp ne i32 %19, 0
  br i1 %20, label %21, label %26

21:                                               ; preds = %16
  %22 = load ptr, ptr %10, align 8
  %23 = getelementptr inbounds i32, ptr %22, i64 2
  %24 = load i32, ptr %23, align 4
  %25 = icmp ne i32 %24, 0
  br i1 %25, label %27, label %26

26:                                               ; preds = %21, %16, %5
  store i32 0, ptr %6, align 4
  br label %49

27:                                               ; preds = %21
  %28 = load ptr, ptr %8, align 8
  %29 = getelementptr inbounds %struct.PREFIX_place, ptr %28, i32 0, i32 0
  %30 = load i32, ptr %29, align 8
  %31 = icmp ne i32 %30, 0
  br i1 %31, label %32, label %40

32:                                               ; preds = %27
  %33 = load ptr, ptr %7, align 8
  %34 = load ptr, ptr %8, align 8
  %35 = getelementptr inbounds %struct.PREFIX_place, ptr %34, i32 0, i32 1
  %36 = load ptr, ptr %35, align 8
  %37 = load ptr, ptr %10, align 8
  %38 = load ptr, ptr %11, align 8
  %39 = call i32 @launch_cuda(ptr noundef %33, ptr noundef %36, ptr noundef %37, ptr noundef %38)
  store i32 %39, ptr %6, align 4
  br label %49

40:                                               ; preds = %27
  %41 = load ptr, ptr %7, align 8
  %42 = load ptr, ptr %9, align 8
  %43 = load ptr, ptr %8, align 8
  %44 = getelementptr inbounds %struct.PREFIX_place, ptr %43, i32 0, i32 2
  %45 = load i32, ptr %44, align 8
  %46 = load ptr, ptr %10, align 8
  %47 = load ptr, ptr %11, align 8
  %48 = call i32 @launch_host(ptr noundef %41, ptr noundef %42, i32 noundef %45, ptr noundef %46, ptr noundef %47)
  store i32 %48, ptr %6, align 4
  br label %49

49:                                               ; preds = %40, %32, %26
  %50 = load i32, ptr %6, align 4
  ret i32 %50
}

; Function Attrs: nounwind uwtable
define ptr @PREFIX_name(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  %4 = icmp ne ptr %3, null
  br i1 %4, label %5, label %9

5:                                                ; preds = %1
  %6 = load ptr, ptr %2, align 8
  %7 = getelementptr inbounds %struct.PREFIX_variant, ptr %6, i32 0, i32 6
  %8 = load ptr, ptr %7, align 8
  br label %10

9:                                                ; preds = %1
  br label %10

10:                                               ; preds = %9, %5
  %11 = phi ptr [ %8, %5 ], [ null, %9 ]
  ret ptr %11
}

; Function Attrs: nounwind uwtable
define ptr @PREFIX_group(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  %4 = icmp ne ptr %3, null
  br i1 %4, label %5, label %9

5:                                                ; preds = %1
  %6 = load ptr, ptr %2, align 8
  %7 = getelementptr inbounds %struct.PREFIX_variant, ptr %6, i32 0, i32 7
  %8 = load ptr, ptr %7, align 8
  br label %10

9:                                                ; preds = %1
  br label %10

10:                                               ; preds = %9, %5
  %11 = phi ptr [ %8, %5 ], [ null, %9 ]
  ret ptr %11
}

; Function Attrs: nounwind uwtable
define ptr @PREFIX_constant(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i32 0, ptr %6, align 4
  br label %7

7:                                                ; preds = %44, %2
  %8 = load ptr, ptr %4, align 8
  %9 = icmp ne ptr %8, null
  br i1 %9, label %10, label %20

10:                                               ; preds = %7
  %11 = load ptr, ptr %5, align 8
  %12 = icmp ne ptr %11, null
  br i1 %12, label %13, label %20

13:                                               ; preds = %10
  %14 = load i32, ptr %6, align 4
  %15 = sext i32 %14 to i64
  %16 = load ptr, ptr %4, align 8
  %17 = getelementptr inbounds %struct.PREFIX_variant, ptr %16, i32 0, i32 9
  %18 = load i64, ptr %17, align 8
  %19 = icmp slt i64 %15, %18
  br label %20

20:                                               ; preds = %13, %10, %7
  %21 = phi i1 [ false, %10 ], [ false, %7 ], [ %19, %13 ]
  br i1 %21, label %22, label %47

22:                                               ; preds = %20
  %23 = load ptr, ptr %4, align 8
  %24 = getelementptr inbounds %struct.PREFIX_variant, ptr %23, i32 0, i32 12
  %25 = load ptr, ptr %24, align 8
  %26 = load i32, ptr %6, align 4
  %27 = sext i32 %26 to i64
  %28 = getelementptr inbounds %struct.constant, ptr %25, i64 %27
  %29 = getelementptr inbounds %struct.constant, ptr %28, i32 0, i32 0
  %30 = load ptr, ptr %29, align 8
  %31 = load ptr, ptr %5, align 8
  %32 = call i32 @strcmp(ptr noundef %30, ptr noundef %31) #13
  %33 = icmp eq i32 %32, 0
  br i1 %33, label %34, label %43

34:                                               ; preds = %22
  %35 = load ptr, ptr %4, align 8
  %36 = getelementptr inbounds %struct.PREFIX_variant, ptr %35, i32 0, i32 12
  %37 = load ptr, ptr %36, align 8
  %38 = load i32, ptr %6, align 4
  %39 = sext i32 %38 to i64
  %40 = getelementptr inbounds %struct.constant, ptr %37, i64 %39
  %41 = getelementptr inbounds %struct.constant, ptr %40, i32 0, i32 1
  %42 = load ptr, ptr %41, align 8
  store ptr %42, ptr %3, align 8
  br label %48

43:                                               ; preds = %22
  br label %44

44:                                               ; preds = %43
  %45 = load i32, ptr %6, align 4
  %46 = add nsw i32 %45, 1
  store i32 %46, ptr %6, align 4
  br label %7, !llvm.loop !9

47:                                               ; preds = %20
  store ptr null, ptr %3, align 8
  br label %48

48:                                               ; preds = %47, %34
  %49 = load ptr, ptr %3, align 8
  ret ptr %49
}

; Function Attrs: nounwind willreturn memory(read)
declare i32 @strcmp(ptr noundef, ptr noundef) #4

; Function Attrs: nounwind uwtable
define ptr @PREFIX_find(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store i32 0, ptr %4, align 4
  br label %5

5:                                                ; preds = %30, %1
  %6 = load ptr, ptr %3, align 8
  %7 = icmp ne ptr %6, null
  br i1 %7, label %8, label %12

8:                                                ; preds = %5
  %9 = load i32, ptr %4, align 4
  %10 = load i32, ptr @PREFIX_count, align 4
  %11 = icmp slt i32 %9, %10
  br label %12

12:                                               ; preds = %8, %5
  %13 = phi i1 [ false, %5 ], [ %11, %8 ]
  br i1 %13, label %14, label %33

14:                                               ; preds = %12
  %15 = load i32, ptr %4, align 4
  %16 = sext i32 %15 to i64
  %17 = getelementptr inbounds [0 x ptr], ptr @PREFIX_variants, i64 0, i64 %16
  %18 = load ptr, ptr %17, align 8
  %19 = getelementptr inbounds %struct.PREFIX_variant, ptr %18, i32 0, i32 6
  %20 = load ptr, ptr %19, align 8
  %21 = load ptr, ptr %3, align 8
  %22 = call i32 @strcmp(ptr noundef %20, ptr noundef %21) #13
  %23 = icmp eq i32 %22, 0
  br i1 %23, label %24, label %29

24:                                               ; preds = %14
  %25 = load i32, ptr %4, align 4
  %26 = sext i32 %25 to i64
  %27 = getelementptr inbounds [0 x ptr], ptr @PREFIX_variants, i64 0, i64 %26
  %28 = load ptr, ptr %27, align 8
  store ptr %28, ptr %2, align 8
  br label %42

29:                                               ; preds = %14
  br label %30

30:                                               ; preds = %29
  %31 = load i32, ptr %4, align 4
  %32 = add nsw i32 %31, 1
  store i32 %32, ptr %4, align 4
  br label %5, !llvm.loop !10

33:                                               ; preds = %12
  %34 = load ptr, ptr %3, align 8
  %35 = icmp ne ptr %34, null
  br i1 %35, label %36, label %38

36:                                               ; preds = %33
  %37 = load ptr, ptr %3, align 8
  br label %39

38:                                               ; preds = %33
  br label %39

39:                                               ; preds = %38, %36
  %40 = phi ptr [ %37, %36 ], [ @.str.10, %38 ]
  %41 = call i32 (i32, ptr, ...) @fail(i32 noundef 2, ptr noundef @.str.9, ptr noundef %40)
  store ptr null, ptr %2, align 8
  br label %42

42:                                               ; preds = %39, %24
  %43 = load ptr, ptr %2, align 8
  ret ptr %43
}

; Function Attrs: nounwind uwtable
define internal i32 @fail(i32 noundef %0, ptr noundef %1, ...) #0 {
  %3 = alloca i32, align 4
  %4 = alloca ptr, align 8
  %5 = alloca %struct.__va_list, align 8
  %6 = alloca %struct.__va_list, align 8
  store i32 %0, ptr %3, align 4
  store ptr %1, ptr %4, align 8
  call void @llvm.va_start.p0(ptr %5)
  %7 = call align 1 ptr @llvm.threadlocal.address.p0(ptr align 1 @message)
  %8 = getelementptr inbounds [512 x i8], ptr %7, i64 0, i64 0
  %9 = load ptr, ptr %4, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %6, ptr align 8 %5, i64 32, i1 false)
  %10 = call i32 @vsnprintf(ptr noundef %8, i64 noundef 512, ptr noundef %9, ptr dead_on_return noundef %6) #12
  call void @llvm.va_end.p0(ptr %5)
  %11 = load i32, ptr %3, align 4
  ret i32 %11
}

; Function Attrs: nounwind uwtable
define ptr @PREFIX_choose(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) #0 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i32, align 4
  %11 = alloca ptr, align 8
  store ptr %0, ptr %6, align 8
  store ptr %1, ptr %7, align 8
  store ptr %2, ptr %8, align 8
  store ptr %3, ptr %9, align 8
  store i32 0, ptr %10, align 4
  br label %12

12:                                               ; preds = %64, %4
  %13 = load ptr, ptr %6, align 8
  %14 = icmp ne ptr %13, null
  br i1 %14, label %15, label %19

15:                                               ; preds = %12
  %16 = load i32, ptr %10, align 4
  %17 = load i32, ptr @PREFIX_count, align 4
  %18 = icmp slt i32 %16, %17
  br label %19

19:                                               ; preds = %15, %12
  %20 = phi i1 [ false, %12 ], [ %18, %15 ]
  br i1 %20, label %21, label %67

21:                                               ; preds = %19
  %22 = load i32, ptr %10, align 4
  %23 = sext i32 %22 to i64
  %24 = getelementptr inbounds [0 x ptr], ptr @PREFIX_variants, i64 0, i64 %23
  %25 = load ptr, ptr %24, align 8
  store ptr %25, ptr %11, align 8
  %26 = load ptr, ptr %11, align 8
  %27 = getelementptr inbounds %struct.PREFIX_variant, ptr %26, i32 0, i32 7
  %28 = load ptr, ptr %27, align 8
  %29 = load ptr, ptr %6, align 8
  %30 = call i32 @strcmp(ptr noundef %28, ptr noundef %29) #13
  %31 = icmp ne i32 %30, 0
  br i1 %31, label %32, label %40

32:                                               ; preds = %21
  %33 = load ptr, ptr %11, align 8
  %34 = getelementptr inbounds %struct.PREFIX_variant, ptr %33, i32 0, i32 8
  %35 = load ptr, ptr %34, align 8
  %36 = load ptr, ptr %6, align 8
  %37 = call i32 @strcmp(ptr noundef %35, ptr noundef %36) #13
  %38 = icmp ne i32 %37, 0
  br i1 %38, label %39, label %40

39:                                               ; preds = %32
  br label %64

40:                                               ; preds = %32, %21
  %41 = load ptr, ptr %11, align 8
  %42 = load ptr, ptr %7, align 8
  %43 = call i32 @has(ptr noundef %41, ptr noundef %42)
  %44 = icmp ne i32 %43, 0
  br i1 %44, label %45, label %63

45:                                               ; preds = %40
  %46 = load ptr, ptr %8, align 8
  %47 = icmp ne ptr %46, null
  br i1 %47, label %48, label %53

48:                                               ; preds = %45
  %49 = load ptr, ptr %11, align 8
  %50 = load ptr, ptr %8, align 8
  %51 = call i32 @PREFIX_runs(ptr noundef %49, ptr noundef %50)
  %52 = icmp ne i32 %51, 0
  br i1 %52, label %53, label %63

53:                                               ; preds = %48, %45
  %54 = load ptr, ptr %9, align 8
  %55 = icmp ne ptr %54, null
  br i1 %55, label %56, label %61

56:                                               ; preds = %53
  %57 = load ptr, ptr %11, align 8
  %58 = load ptr, ptr %9, align 8
  %59 = call i32 @PREFIX_fits(ptr noundef %57, ptr noundef %58)
  %60 = icmp ne i32 %59, 0
  br i1 %60, label %61, label %63

61:                                               ; preds = %56, %53
  %62 = load ptr, ptr %11, align 8
  store ptr %62, ptr %5, align 8
  br label %76

63:                                               ; preds = %56, %48, %40
  br label %64

64:                                               ; preds = %63, %39
  %65 = load i32, ptr %10, align 4
  %66 = add nsw i32 %65, 1
  store i32 %66, ptr %10, align 4
  br label %12, !llvm.loop !11

67:                                               ; preds = %19
  %68 = load ptr, ptr %6, align 8
  %69 = icmp ne ptr %68, null
  br i1 %69, label %70, label %72

70:                                               ; preds = %67
  %71 = load ptr, ptr %6, align 8
  br label %73

72:                                               ; preds = %67
  br label %73

73:                                               ; preds = %72, %70
  %74 = phi ptr [ %71, %70 ], [ @.str.12, %72 ]
  %75 = call i32 (i32, ptr, ...) @fail(i32 noundef 2, ptr noundef @.str.11, ptr noundef %74)
  store ptr null, ptr %5, align 8
  br label %76

76:                                               ; preds = %73, %61
  %77 = load ptr, ptr %5, align 8
  ret ptr %77
}

; Function Attrs: nounwind uwtable
define internal i32 @has(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  %7 = alloca ptr, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i32 0, ptr %6, align 4
  br label %8

8:                                                ; preds = %50, %2
  %9 = load ptr, ptr %5, align 8
  %10 = icmp ne ptr %9, null
  br i1 %10, label %11, label %18

11:                                               ; preds = %8
  %12 = load ptr, ptr %5, align 8
  %13 = load i32, ptr %6, align 4
  %14 = sext i32 %13 to i64
  %15 = getelementptr inbounds ptr, ptr %12, i64 %14
  %16 = load ptr, ptr %15, align 8
  %17 = icmp ne ptr %16, null
  br label %18

18:                                               ; preds = %11, %8
  %19 = phi i1 [ false, %8 ], [ %17, %11 ]
  br i1 %19, label %20, label %53

20:                                               ; preds = %18
  %21 = load ptr, ptr %4, align 8
  %22 = load ptr, ptr %5, align 8
  %23 = load i32, ptr %6, align 4
  %24 = sext i32 %23 to i64
  %25 = getelementptr inbounds ptr, ptr %22, i64 %24
  %26 = load ptr, ptr %25, align 8
  %27 = call ptr @PREFIX_constant(ptr noundef %21, ptr noundef %26)
  store ptr %27, ptr %7, align 8
  %28 = load ptr, ptr %7, align 8
  %29 = icmp ne ptr %28, null
  br i1 %29, label %30, label %48

30:                                               ; preds = %20
  %31 = load ptr, ptr %5, align 8
  %32 = load i32, ptr %6, align 4
  %33 = add nsw i32 %32, 1
  %34 = sext i32 %33 to i64
  %35 = getelementptr inbounds ptr, ptr %31, i64 %34
  %36 = load ptr, ptr %35, align 8
  %37 = icmp ne ptr %36, null
  br i1 %37, label %38, label %48

38:                                               ; preds = %30
  %39 = load ptr, ptr %7, align 8
  %40 = load ptr, ptr %5, align 8
  %41 = load i32, ptr %6, align 4
  %42 = add nsw i32 %41, 1
  %43 = sext i32 %42 to i64
  %44 = getelementptr inbounds ptr, ptr %40, i64 %43
  %45 = load ptr, ptr %44, align 8
  %46 = call i32 @strcmp(ptr noundef %39, ptr noundef %45) #13
  %47 = icmp ne i32 %46, 0
  br i1 %47, label %48, label %49

48:                                               ; preds = %38, %30, %20
  store i32 0, ptr %3, align 4
  br label %54

49:                                               ; preds = %38
  br label %50

50:                                               ; preds = %49
  %51 = load i32, ptr %6, align 4
  %52 = add nsw i32 %51, 2
  store i32 %52, ptr %6, align 4
  br label %8, !llvm.loop !12

53:                                               ; preds = %18
  store i32 1, ptr %3, align 4
  br label %54

54:                                               ; preds = %53, %48
  %55 = load i32, ptr %3, align 4
  ret i32 %55
}

; Function Attrs: nounwind uwtable
define ptr @PREFIX_chosen() #0 {
  %1 = call align 8 ptr @llvm.threadlocal.address.p0(ptr align 8 @last)
  %2 = load ptr, ptr %1, align 8
  ret ptr %2
}

; Function Attrs: nounwind uwtable
define hidden i32 @PREFIX_launch_group(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4) #0 {
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca ptr, align 8
  %11 = alloca %struct.call, align 8
  store ptr %0, ptr %6, align 8
  store ptr %1, ptr %7, align 8
  store ptr %2, ptr %8, align 8
  store ptr %3, ptr %9, align 8
  store ptr %4, ptr %10, align 8
  %12 = getelementptr inbounds %struct.call, ptr %11, i32 0, i32 0
  %13 = load ptr, ptr %6, align 8
  store ptr %13, ptr %12, align 8
  %14 = getelementptr inbounds %struct.call, ptr %11, i32 0, i32 1
  %15 = load ptr, ptr %7, align 8
  %16 = icmp ne ptr %15, null
  br i1 %16, label %17, label %19

17:                                               ; preds = %5
  %18 = load ptr, ptr %7, align 8
  br label %20

19:                                               ; preds = %5
  br label %20

20:                                               ; preds = %19, %17
  %21 = phi ptr [ %18, %17 ], [ @everywhere, %19 ]
  store ptr %21, ptr %14, align 8
  %22 = getelementptr inbounds %struct.call, ptr %11, i32 0, i32 2
  store ptr null, ptr %22, align 8
  %23 = getelementptr inbounds %struct.call, ptr %11, i32 0, i32 3
  %24 = load ptr, ptr %8, align 8
  store ptr %24, ptr %23, align 8
  %25 = getelementptr inbounds %struct.call, ptr %11, i32 0, i32 4
  %26 = load ptr, ptr %9, align 8
  store ptr %26, ptr %25, align 8
  %27 = getelementptr inbounds %struct.call, ptr %11, i32 0, i32 5
  %28 = load ptr, ptr %10, align 8
  store ptr %28, ptr %27, align 8
  %29 = getelementptr inbounds %struct.call, ptr %11, i32 0, i32 6
  store ptr null, ptr %29, align 8
  %30 = call i32 @launch_call(ptr noundef %11)
  ret i32 %30
}

; Function Attrs: nounwind uwtable
define internal i32 @launch_call(ptr noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  %6 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  %7 = load ptr, ptr %3, align 8
  %8 = getelementptr inbounds %struct.call, ptr %7, i32 0, i32 0
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr inbounds %struct.group, ptr %9, i32 0, i32 5
  %11 = load ptr, ptr %10, align 8
  %12 = icmp ne ptr %11, null
  br i1 %12, label %13, label %16

13:                                               ; preds = %1
  %14 = load ptr, ptr %3, align 8
  %15 = call ptr @fastest(ptr noundef %14)
  br label %17

16:                                               ; preds = %1
  br label %17

17:                                               ; preds = %16, %13
  %18 = phi ptr [ %15, %13 ], [ null, %16 ]
  store ptr %18, ptr %4, align 8
  %19 = load ptr, ptr %4, align 8
  %20 = icmp ne ptr %19, null
  br i1 %20, label %21, label %25

21:                                               ; preds = %17
  %22 = load ptr, ptr %3, align 8
  %23 = load ptr, ptr %4, align 8
  %24 = call i32 @try(ptr noundef %22, ptr noundef %23)
  br label %26

25:                                               ; preds = %17
  br label %26

26:                                               ; preds = %25, %21
  %27 = phi i32 [ %24, %21 ], [ 2, %25 ]
  store i32 %27, ptr %5, align 4
  %28 = load ptr, ptr %4, align 8
  %29 = icmp ne ptr %28, null
  br i1 %29, label %30, label %34

30:                                               ; preds = %26
  %31 = load i32, ptr %5, align 4
  %32 = icmp eq i32 %31, 0
  br i1 %32, label %33, label %34

33:                                               ; preds = %30
  store i32 0, ptr %2, align 4
  br label %74

34:                                               ; preds = %30, %26
  store i64 0, ptr %6, align 8
  br label %35

35:                                               ; preds = %64, %34
  %36 = load i64, ptr %6, align 8
  %37 = load ptr, ptr %3, align 8
  %38 = getelementptr inbounds %struct.call, ptr %37, i32 0, i32 0
  %39 = load ptr, ptr %38, align 8
  %40 = getelementptr inbounds %struct.group, ptr %39, i32 0, i32 1
  %41 = load i64, ptr %40, align 8
  %42 = icmp slt i64 %36, %41
  br i1 %42, label %43, label %67

43:                                               ; preds = %35
  %44 = load ptr, ptr %3, align 8
  %45 = load ptr, ptr %3, align 8
  %46 = getelementptr inbounds %struct.call, ptr %45, i32 0, i32 0
  %47 = load ptr, ptr %46, align 8
  %48 = getelementptr inbounds %struct.group, ptr %47, i32 0, i32 4
  %49 = load ptr, ptr %48, align 8
  %50 = load i64, ptr %6, align 8
  %51 = getelementptr inbounds ptr, ptr %49, i64 %50
  %52 = load ptr, ptr %51, align 8
  %53 = call i32 @try(ptr noundef %44, ptr noundef %52)
  store i32 %53, ptr %5, align 4
  %54 = load i32, ptr %5, align 4
  %55 = icmp ne i32 %54, 2
  br i1 %55, label %56, label %63

56:                                               ; preds = %43
  %57 = load i32, ptr %5, align 4
  %58 = icmp ne i32 %57, 3
  br i1 %58, label %59, label %63

59:                                               ; preds = %56
  %60 = load i32, ptr %5, align 4
  %61 = icmp ne i32 %60, 1
  br i1 %61, label %62, label %63

62:                                               ; preds = %59
  br label %67

63:                                               ; preds = %59, %56, %43
  br label %64

64:                                               ; preds = %63
  %65 = load i64, ptr %6, align 8
  %66 = add nsw i64 %65, 1
  store i64 %66, ptr %6, align 8
  br label %35, !llvm.loop !13

67:                                               ; preds = %62, %35
  %68 = load i32, ptr %5, align 4
  %69 = icmp ne i32 %68, 0
  br i1 %69, label %70, label %72

70:                                               ; preds = %67
  %71 = call align 8 ptr @llvm.threadlocal.address.p0(ptr align 8 @last)
  store ptr null, ptr %71, align 8
  br label %72

72:                                               ; preds = %70, %67
  %73 = load i32, ptr %5, align 4
  store i32 %73, ptr %2, align 4
  br label %74

74:                                               ; preds = %72, %33
  %75 = load i32, ptr %2, align 4
  ret i32 %75
}

; Function Attrs: nounwind uwtable
define ptr @RegisterCustomOps(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  %10 = load ptr, ptr %5, align 8
  %11 = icmp ne ptr %10, null
  br i1 %11, label %12, label %17

12:                                               ; preds = %2
  %13 = load ptr, ptr %5, align 8
  %14 = getelementptr inbounds %struct.ort_base, ptr %13, i32 0, i32 0
  %15 = load ptr, ptr %14, align 8
  %16 = call ptr %15(i32 noundef 17)
  br label %18

17:                                               ; preds = %2
  br label %18

18:                                               ; preds = %17, %12
  %19 = phi ptr [ %16, %12 ], [ null, %17 ]
  store ptr %19, ptr %6, align 8
  %20 = load ptr, ptr %6, align 8
  %21 = icmp ne ptr %20, null
  br i1 %21, label %40, label %22

22:                                               ; preds = %18
  %23 = load ptr, ptr %5, align 8
  %24 = icmp ne ptr %23, null
  br i1 %24, label %25, label %31

25:                                               ; preds = %22
  %26 = load ptr, ptr %5, align 8
  %27 = getelementptr inbounds %struct.ort_base, ptr %26, i32 0, i32 0
  %28 = load ptr, ptr %27, align 8
  %29 = call ptr %28(i32 noundef 1)
  store ptr %29, ptr %6, align 8
  %30 = icmp ne ptr %29, null
  br i1 %30, label %32, label %31

31:                                               ; preds = %25, %22
  store ptr null, ptr %3, align 8
  br label %73

32:                                               ; preds = %25
  %33 = load ptr, ptr %6, align 8
  %34 = load ptr, ptr %5, align 8
  %35 = getelementptr inbounds %struct.ort_base, ptr %34, i32 0, i32 1
  %36 = load ptr, ptr %35, align 8
  %37 = call ptr %36()
  %38 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.13, ptr noundef %37)
  %39 = call ptr @ort_text(ptr noundef %33, i32 noundef %38)
  store ptr %39, ptr %3, align 8
  br label %73

40:                                               ; preds = %18
  %41 = call i32 @pthread_mutex_lock(ptr noundef @lock) #12
  %42 = load ptr, ptr %6, align 8
  store ptr %42, ptr @ort, align 8
  %43 = load ptr, ptr %6, align 8
  %44 = call ptr @make_domains(ptr noundef %43, ptr noundef %8)
  store ptr %44, ptr %7, align 8
  %45 = call i32 @pthread_mutex_unlock(ptr noundef @lock) #12
  store i64 0, ptr %9, align 8
  br label %46

46:                                               ; preds = %68, %40
  %47 = load ptr, ptr %7, align 8
  %48 = icmp ne ptr %47, null
  br i1 %48, label %55, label %49

49:                                               ; preds = %46
  %50 = load i64, ptr %9, align 8
  %51 = load ptr, ptr %8, align 8
  %52 = getelementptr inbounds %struct.domains, ptr %51, i32 0, i32 3
  %53 = load i64, ptr %52, align 8
  %54 = icmp slt i64 %50, %53
  br label %55

55:                                               ; preds = %49, %46
  %56 = phi i1 [ false, %46 ], [ %54, %49 ]
  br i1 %56, label %57, label %71

57:                                               ; preds = %55
  %58 = load ptr, ptr %6, align 8
  %59 = getelementptr inbounds %struct.ort_api, ptr %58, i32 0, i32 4
  %60 = load ptr, ptr %59, align 8
  %61 = load ptr, ptr %4, align 8
  %62 = load ptr, ptr %8, align 8
  %63 = getelementptr inbounds %struct.domains, ptr %62, i32 0, i32 1
  %64 = load i64, ptr %9, align 8
  %65 = getelementptr inbounds [64 x ptr], ptr %63, i64 0, i64 %64
  %66 = load ptr, ptr %65, align 8
  %67 = call ptr %60(ptr noundef %61, ptr noundef %66)
  store ptr %67, ptr %7, align 8
  br label %68

68:                                               ; preds = %57
  %69 = load i64, ptr %9, align 8
  %70 = add nsw i64 %69, 1
  store i64 %70, ptr %9, align 8
  br label %46, !llvm.loop !14

71:                                               ; preds = %55
  %72 = load ptr, ptr %7, align 8
  store ptr %72, ptr %3, align 8
  br label %73

73:                                               ; preds = %71, %32, %31
  %74 = load ptr, ptr %3, align 8
  ret ptr %74
}

; Function Attrs: nounwind uwtable
define internal ptr @ort_text(ptr noundef %0, i32 noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store i32 %1, ptr %4, align 4
  %5 = load ptr, ptr %3, align 8
  %6 = getelementptr inbounds %struct.ort_api, ptr %5, i32 0, i32 0
  %7 = load ptr, ptr %6, align 8
  %8 = load i32, ptr %4, align 4
  %9 = icmp eq i32 %8, 1
  br i1 %9, label %13, label %10

10:                                               ; preds = %2
  %11 = load i32, ptr %4, align 4
  %12 = icmp eq i32 %11, 2
  br label %13

13:                                               ; preds = %10, %2
  %14 = phi i1 [ true, %2 ], [ %12, %10 ]
  %15 = zext i1 %14 to i64
  %16 = select i1 %14, i32 2, i32 1
  %17 = call align 1 ptr @llvm.threadlocal.address.p0(ptr align 1 @message)
  %18 = getelementptr inbounds [512 x i8], ptr %17, i64 0, i64 0
  %19 = call ptr %7(i32 noundef %16, ptr noundef %18)
  ret ptr %19
}

; Function Attrs: nounwind uwtable
define internal ptr @make_domains(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store ptr null, ptr %7, align 8
  %11 = load ptr, ptr @make_domains.all, align 8
  store ptr %11, ptr %9, align 8
  br label %12

12:                                               ; preds = %25, %2
  %13 = load ptr, ptr %9, align 8
  %14 = icmp ne ptr %13, null
  br i1 %14, label %15, label %29

15:                                               ; preds = %12
  %16 = load ptr, ptr %9, align 8
  %17 = getelementptr inbounds %struct.domains, ptr %16, i32 0, i32 0
  %18 = load ptr, ptr %17, align 8
  %19 = load ptr, ptr %4, align 8
  %20 = icmp eq ptr %18, %19
  br i1 %20, label %21, label %24

21:                                               ; preds = %15
  %22 = load ptr, ptr %9, align 8
  %23 = load ptr, ptr %5, align 8
  store ptr %22, ptr %23, align 8
  store ptr null, ptr %3, align 8
  br label %114

24:                                               ; preds = %15
  br label %25

25:                                               ; preds = %24
  %26 = load ptr, ptr %9, align 8
  %27 = getelementptr inbounds %struct.domains, ptr %26, i32 0, i32 4
  %28 = load ptr, ptr %27, align 8
  store ptr %28, ptr %9, align 8
  br label %12, !llvm.loop !15

29:                                               ; preds = %12
  store i64 0, ptr %10, align 8
  br label %30

30:                                               ; preds = %36, %29
  %31 = load i64, ptr %10, align 8
  %32 = getelementptr inbounds [0 x %struct.operator], ptr @PREFIX_operators, i64 0, i64 %31
  %33 = getelementptr inbounds %struct.operator, ptr %32, i32 0, i32 0
  %34 = load ptr, ptr %33, align 8
  %35 = icmp ne ptr %34, null
  br i1 %35, label %36, label %39

36:                                               ; preds = %30
  %37 = load i64, ptr %10, align 8
  %38 = add nsw i64 %37, 1
  store i64 %38, ptr %10, align 8
  br label %30, !llvm.loop !16

39:                                               ; preds = %30
  %40 = call noalias ptr @calloc(i64 noundef 1, i64 noundef 1048) #14
  store ptr %40, ptr %9, align 8
  %41 = load i64, ptr %10, align 8
  %42 = add i64 %41, 1
  %43 = call noalias ptr @calloc(i64 noundef %42, i64 noundef 248) #14
  store ptr %43, ptr %6, align 8
  %44 = load ptr, ptr %9, align 8
  %45 = icmp ne ptr %44, null
  br i1 %45, label %46, label %49

46:                                               ; preds = %39
  %47 = load ptr, ptr %6, align 8
  %48 = icmp ne ptr %47, null
  br i1 %48, label %55, label %49

49:                                               ; preds = %46, %39
  %50 = load ptr, ptr %9, align 8
  call void @free(ptr noundef %50) #12
  %51 = load ptr, ptr %6, align 8
  call void @free(ptr noundef %51) #12
  %52 = load ptr, ptr %4, align 8
  %53 = call i32 (i32, ptr, ...) @fail(i32 noundef 5, ptr noundef @.str.46)
  %54 = call ptr @ort_text(ptr noundef %52, i32 noundef %53)
  store ptr %54, ptr %3, align 8
  br label %114

55:                                               ; preds = %46
  %56 = load ptr, ptr %4, align 8
  %57 = load ptr, ptr %9, align 8
  %58 = getelementptr inbounds %struct.domains, ptr %57, i32 0, i32 0
  store ptr %56, ptr %58, align 8
  store i64 0, ptr %10, align 8
  br label %59

59:                                               ; preds = %99, %55
  %60 = load i64, ptr %10, align 8
  %61 = getelementptr inbounds [0 x %struct.operator], ptr @PREFIX_operators, i64 0, i64 %60
  %62 = getelementptr inbounds %struct.operator, ptr %61, i32 0, i32 0
  %63 = load ptr, ptr %62, align 8
  %64 = icmp ne ptr %63, null
  br i1 %64, label %65, label %69

65:                                               ; preds = %59
  %66 = load ptr, ptr %7, align 8
  %67 = icmp ne ptr %66, null
  %68 = xor i1 %67, true
  br label %69

69:                                               ; preds = %65, %59
  %70 = phi i1 [ false, %59 ], [ %68, %65 ]
  br i1 %70, label %71, label %102

71:                                               ; preds = %69
  %72 = load ptr, ptr %6, align 8
  %73 = load i64, ptr %10, align 8
  %74 = getelementptr inbounds %struct.registered, ptr %72, i64 %73
  %75 = getelementptr inbounds %struct.registered, ptr %74, i32 0, i32 0
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %75, ptr align 8 @functions, i64 240, i1 false)
  %76 = load i64, ptr %10, align 8
  %77 = getelementptr inbounds [0 x %struct.operator], ptr @PREFIX_operators, i64 0, i64 %76
  %78 = load ptr, ptr %6, align 8
  %79 = load i64, ptr %10, align 8
  %80 = getelementptr inbounds %struct.registered, ptr %78, i64 %79
  %81 = getelementptr inbounds %struct.registered, ptr %80, i32 0, i32 1
  store ptr %77, ptr %81, align 8
  %82 = load ptr, ptr %9, align 8
  %83 = load i64, ptr %10, align 8
  %84 = getelementptr inbounds [0 x %struct.operator], ptr @PREFIX_operators, i64 0, i64 %83
  %85 = getelementptr inbounds %struct.operator, ptr %84, i32 0, i32 1
  %86 = load ptr, ptr %85, align 8
  %87 = call ptr @domain_of(ptr noundef %82, ptr noundef %86, ptr noundef %8)
  store ptr %87, ptr %7, align 8
  %88 = icmp eq ptr %87, null
  br i1 %88, label %89, label %98

89:                                               ; preds = %71
  %90 = load ptr, ptr %4, align 8
  %91 = getelementptr inbounds %struct.ort_api, ptr %90, i32 0, i32 3
  %92 = load ptr, ptr %91, align 8
  %93 = load ptr, ptr %8, align 8
  %94 = load ptr, ptr %6, align 8
  %95 = load i64, ptr %10, align 8
  %96 = getelementptr inbounds %struct.registered, ptr %94, i64 %95
  %97 = call ptr %92(ptr noundef %93, ptr noundef %96)
  store ptr %97, ptr %7, align 8
  br label %98

98:                                               ; preds = %89, %71
  br label %99

99:                                               ; preds = %98
  %100 = load i64, ptr %10, align 8
  %101 = add nsw i64 %100, 1
  store i64 %101, ptr %10, align 8
  br label %59, !llvm.loop !17

102:                                              ; preds = %69
  %103 = load ptr, ptr %7, align 8
  %104 = icmp ne ptr %103, null
  br i1 %104, label %105, label %107

105:                                              ; preds = %102
  %106 = load ptr, ptr %7, align 8
  store ptr %106, ptr %3, align 8
  br label %114

107:                                              ; preds = %102
  %108 = load ptr, ptr @make_domains.all, align 8
  %109 = load ptr, ptr %9, align 8
  %110 = getelementptr inbounds %struct.domains, ptr %109, i32 0, i32 4
  store ptr %108, ptr %110, align 8
  %111 = load ptr, ptr %9, align 8
  store ptr %111, ptr @make_domains.all, align 8
  %112 = load ptr, ptr %9, align 8
  %113 = load ptr, ptr %5, align 8
  store ptr %112, ptr %113, align 8
  store ptr null, ptr %3, align 8
  br label %114

114:                                              ; preds = %107, %105, %49, %21
  %115 = load ptr, ptr %3, align 8
  ret ptr %115
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.cttz.i64(i64, i1 immarg) #1

; Function Attrs: nounwind uwtable
define internal i32 @check_argument(ptr noundef %0, i32 noundef %1, i64 noundef %2) #0 {
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  %7 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store i32 %1, ptr %6, align 4
  store i64 %2, ptr %7, align 8
  %8 = load ptr, ptr %5, align 8
  %9 = getelementptr inbounds %struct.PREFIX_variant, ptr %8, i32 0, i32 11
  %10 = load ptr, ptr %9, align 8
  %11 = load i32, ptr %6, align 4
  %12 = sext i32 %11 to i64
  %13 = getelementptr inbounds %struct.argument, ptr %10, i64 %12
  %14 = getelementptr inbounds %struct.argument, ptr %13, i32 0, i32 1
  %15 = load i64, ptr %14, align 8
  %16 = icmp ne i64 %15, 0
  br i1 %16, label %17, label %33

17:                                               ; preds = %3
  %18 = load i64, ptr %7, align 8
  %19 = icmp ne i64 %18, 0
  br i1 %19, label %33, label %20

20:                                               ; preds = %17
  %21 = load ptr, ptr %5, align 8
  %22 = getelementptr inbounds %struct.PREFIX_variant, ptr %21, i32 0, i32 6
  %23 = load ptr, ptr %22, align 8
  %24 = load ptr, ptr %5, align 8
  %25 = getelementptr inbounds %struct.PREFIX_variant, ptr %24, i32 0, i32 11
  %26 = load ptr, ptr %25, align 8
  %27 = load i32, ptr %6, align 4
  %28 = sext i32 %27 to i64
  %29 = getelementptr inbounds %struct.argument, ptr %26, i64 %28
  %30 = getelementptr inbounds %struct.argument, ptr %29, i32 0, i32 0
  %31 = load ptr, ptr %30, align 8
  %32 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.16, ptr noundef %23, ptr noundef %31)
  store i32 %32, ptr %4, align 4
  br label %61

33:                                               ; preds = %17, %3
  %34 = load ptr, ptr %5, align 8
  %35 = getelementptr inbounds %struct.PREFIX_variant, ptr %34, i32 0, i32 11
  %36 = load ptr, ptr %35, align 8
  %37 = load i32, ptr %6, align 4
  %38 = sext i32 %37 to i64
  %39 = getelementptr inbounds %struct.argument, ptr %36, i64 %38
  %40 = getelementptr inbounds %struct.argument, ptr %39, i32 0, i32 2
  %41 = load i64, ptr %40, align 8
  %42 = icmp ne i64 %41, 0
  br i1 %42, label %43, label %60

43:                                               ; preds = %33
  %44 = load i64, ptr %7, align 8
  %45 = urem i64 %44, 16
  %46 = icmp ne i64 %45, 0
  br i1 %46, label %47, label %60

47:                                               ; preds = %43
  %48 = load ptr, ptr %5, align 8
  %49 = getelementptr inbounds %struct.PREFIX_variant, ptr %48, i32 0, i32 6
  %50 = load ptr, ptr %49, align 8
  %51 = load ptr, ptr %5, align 8
  %52 = getelementptr inbounds %struct.PREFIX_variant, ptr %51, i32 0, i32 11
  %53 = load ptr, ptr %52, align 8
  %54 = load i32, ptr %6, align 4
  %55 = sext i32 %54 to i64
  %56 = getelementptr inbounds %struct.argument, ptr %53, i64 %55
  %57 = getelementptr inbounds %struct.argument, ptr %56, i32 0, i32 0
  %58 = load ptr, ptr %57, align 8
  %59 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.17, ptr noundef %50, ptr noundef %58)
  store i32 %59, ptr %4, align 4
  br label %61

60:                                               ; preds = %43, %33
  store i32 0, ptr %4, align 4
  br label %61

61:                                               ; preds = %60, %47, %20
  %62 = load i32, ptr %4, align 4
  ret i32 %62
}

; Function Attrs: nounwind uwtable
define internal i32 @gpu_runs(ptr noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  %7 = call i32 @in_context(ptr noundef %4)
  store i32 %7, ptr %6, align 4
  %8 = load i32, ptr %6, align 4
  %9 = icmp ne i32 %8, 0
  br i1 %9, label %15, label %10

10:                                               ; preds = %1
  %11 = load ptr, ptr %3, align 8
  %12 = load ptr, ptr %4, align 8
  %13 = call ptr @bound_in(ptr noundef %11, ptr noundef %12)
  %14 = icmp ne ptr %13, null
  br i1 %14, label %15, label %17

15:                                               ; preds = %10, %1
  %16 = load i32, ptr %6, align 4
  store i32 %16, ptr %2, align 4
  br label %34

17:                                               ; preds = %10
  %18 = call i32 @capability(ptr noundef %5)
  store i32 %18, ptr %6, align 4
  %19 = icmp ne i32 %18, 0
  br i1 %19, label %20, label %22

20:                                               ; preds = %17
  %21 = load i32, ptr %6, align 4
  store i32 %21, ptr %2, align 4
  br label %34

22:                                               ; preds = %17
  %23 = load ptr, ptr %3, align 8
  %24 = load i32, ptr %5, align 4
  %25 = call ptr @best(ptr noundef %23, i32 noundef %24, i32 noundef 1073741824)
  %26 = icmp ne ptr %25, null
  br i1 %26, label %27, label %28

27:                                               ; preds = %22
  br label %32

28:                                               ; preds = %22
  %29 = load ptr, ptr %3, align 8
  %30 = load i32, ptr %5, align 4
  %31 = call i32 @no_code(ptr noundef %29, i32 noundef %30)
  br label %32

32:                                               ; preds = %28, %27
  %33 = phi i32 [ 0, %27 ], [ %31, %28 ]
  store i32 %33, ptr %2, align 4
  br label %34

34:                                               ; preds = %32, %20, %15
  %35 = load i32, ptr %2, align 4
  ret i32 %35
}

; Function Attrs: nounwind uwtable
define internal i32 @host_code(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i32, align 4
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i64, align 8
  %11 = alloca ptr, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 0, ptr %6, align 8
  %12 = load ptr, ptr %4, align 8
  %13 = getelementptr inbounds %struct.PREFIX_variant, ptr %12, i32 0, i32 3
  %14 = load ptr, ptr %13, align 8
  %15 = getelementptr inbounds %struct.state, ptr %14, i32 0, i32 1
  %16 = load atomic i64, ptr %15 acquire, align 8
  store i64 %16, ptr %8, align 8
  %17 = load ptr, ptr %8, align 8
  %18 = load ptr, ptr %5, align 8
  store ptr %17, ptr %18, align 8
  %19 = icmp ne ptr %17, null
  br i1 %19, label %20, label %21

20:                                               ; preds = %2
  store i32 0, ptr %3, align 4
  br label %81

21:                                               ; preds = %2
  store i32 0, ptr %7, align 4
  br label %22

22:                                               ; preds = %61, %21
  %23 = load i32, ptr %7, align 4
  %24 = sext i32 %23 to i64
  %25 = load ptr, ptr %4, align 8
  %26 = getelementptr inbounds %struct.PREFIX_variant, ptr %25, i32 0, i32 10
  %27 = load i64, ptr %26, align 8
  %28 = icmp slt i64 %24, %27
  br i1 %28, label %29, label %64

29:                                               ; preds = %22
  %30 = load ptr, ptr %4, align 8
  %31 = getelementptr inbounds %struct.PREFIX_variant, ptr %30, i32 0, i32 13
  %32 = load ptr, ptr %31, align 8
  %33 = load i32, ptr %7, align 4
  %34 = sext i32 %33 to i64
  %35 = getelementptr inbounds %struct.code, ptr %32, i64 %34
  store ptr %35, ptr %9, align 8
  %36 = load ptr, ptr %9, align 8
  %37 = getelementptr inbounds %struct.code, ptr %36, i32 0, i32 0
  %38 = load i64, ptr %37, align 8
  %39 = icmp eq i64 %38, 3
  br i1 %39, label %40, label %46

40:                                               ; preds = %29
  %41 = load ptr, ptr %9, align 8
  %42 = getelementptr inbounds %struct.code, ptr %41, i32 0, i32 12
  %43 = load ptr, ptr %42, align 8
  %44 = call i64 @strlen(ptr noundef %43) #13
  %45 = add i64 1, %44
  br label %47

46:                                               ; preds = %29
  br label %47

47:                                               ; preds = %46, %40
  %48 = phi i64 [ %45, %40 ], [ 0, %46 ]
  store i64 %48, ptr %10, align 8
  %49 = load i64, ptr %10, align 8
  %50 = load i64, ptr %6, align 8
  %51 = icmp ugt i64 %49, %50
  br i1 %51, label %52, label %60

52:                                               ; preds = %47
  %53 = load ptr, ptr %9, align 8
  %54 = call i32 @suits(ptr noundef %53)
  %55 = icmp ne i32 %54, 0
  br i1 %55, label %56, label %60

56:                                               ; preds = %52
  %57 = load ptr, ptr %9, align 8
  %58 = load ptr, ptr %5, align 8
  store ptr %57, ptr %58, align 8
  %59 = load i64, ptr %10, align 8
  store i64 %59, ptr %6, align 8
  br label %60

60:                                               ; preds = %56, %52, %47
  br label %61

61:                                               ; preds = %60
  %62 = load i32, ptr %7, align 4
  %63 = add nsw i32 %62, 1
  store i32 %63, ptr %7, align 4
  br label %22, !llvm.loop !18

64:                                               ; preds = %22
  %65 = load ptr, ptr %5, align 8
  %66 = load ptr, ptr %65, align 8
  %67 = icmp ne ptr %66, null
  br i1 %67, label %73, label %68

68:                                               ; preds = %64
  %69 = load ptr, ptr %4, align 8
  %70 = getelementptr inbounds %struct.PREFIX_variant, ptr %69, i32 0, i32 6
  %71 = load ptr, ptr %70, align 8
  %72 = call i32 (i32, ptr, ...) @fail(i32 noundef 3, ptr noundef @.str.43, ptr noundef %71)
  store i32 %72, ptr %3, align 4
  br label %81

73:                                               ; preds = %64
  %74 = load ptr, ptr %4, align 8
  %75 = getelementptr inbounds %struct.PREFIX_variant, ptr %74, i32 0, i32 3
  %76 = load ptr, ptr %75, align 8
  %77 = getelementptr inbounds %struct.state, ptr %76, i32 0, i32 1
  %78 = load ptr, ptr %5, align 8
  %79 = load ptr, ptr %78, align 8
  store ptr %79, ptr %11, align 8
  %80 = load i64, ptr %11, align 8
  store atomic i64 %80, ptr %77 release, align 8
  store i32 0, ptr %3, align 4
  br label %81

81:                                               ; preds = %73, %68, %20
  %82 = load i32, ptr %3, align 4
  ret i32 %82
}

; Function Attrs: nounwind uwtable
define internal i32 @in_context(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  store ptr %0, ptr %2, align 8
  store i32 0, ptr %3, align 4
  %5 = load atomic i32, ptr @cuda acquire, align 8
  store i32 %5, ptr %4, align 4
  %6 = load i32, ptr %4, align 4
  %7 = icmp ne i32 %6, 1
  br i1 %7, label %8, label %12

8:                                                ; preds = %1
  %9 = call i32 @pthread_mutex_lock(ptr noundef @lock) #12
  %10 = call i32 @open_cuda()
  store i32 %10, ptr %3, align 4
  %11 = call i32 @pthread_mutex_unlock(ptr noundef @lock) #12
  br label %12

12:                                               ; preds = %8, %1
  %13 = load i32, ptr %3, align 4
  %14 = icmp ne i32 %13, 0
  br i1 %14, label %15, label %17

15:                                               ; preds = %12
  %16 = load i32, ptr %3, align 4
  br label %20

17:                                               ; preds = %12
  %18 = load ptr, ptr %2, align 8
  %19 = call i32 @current(ptr noundef %18)
  br label %20

20:                                               ; preds = %17, %15
  %21 = phi i32 [ %16, %15 ], [ %19, %17 ]
  ret i32 %21
}

; Function Attrs: nounwind uwtable
define internal ptr @bound_in(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %7 = load ptr, ptr %3, align 8
  %8 = getelementptr inbounds %struct.PREFIX_variant, ptr %7, i32 0, i32 3
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr inbounds %struct.state, ptr %9, i32 0, i32 0
  %11 = load atomic i64, ptr %10 acquire, align 8
  store i64 %11, ptr %6, align 8
  %12 = load ptr, ptr %6, align 8
  store ptr %12, ptr %5, align 8
  br label %13

13:                                               ; preds = %24, %2
  %14 = load ptr, ptr %5, align 8
  %15 = icmp ne ptr %14, null
  br i1 %15, label %16, label %22

16:                                               ; preds = %13
  %17 = load ptr, ptr %5, align 8
  %18 = getelementptr inbounds %struct.bound, ptr %17, i32 0, i32 0
  %19 = load ptr, ptr %18, align 8
  %20 = load ptr, ptr %4, align 8
  %21 = icmp ne ptr %19, %20
  br label %22

22:                                               ; preds = %16, %13
  %23 = phi i1 [ false, %13 ], [ %21, %16 ]
  br i1 %23, label %24, label %28

24:                                               ; preds = %22
  %25 = load ptr, ptr %5, align 8
  %26 = getelementptr inbounds %struct.bound, ptr %25, i32 0, i32 6
  %27 = load ptr, ptr %26, align 8
  store ptr %27, ptr %5, align 8
  br label %13, !llvm.loop !19

28:                                               ; preds = %22
  %29 = load ptr, ptr %5, align 8
  ret ptr %29
}

; Function Attrs: nounwind uwtable
define internal i32 @capability(ptr noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  %8 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 3), align 8
  %9 = call i32 %8(ptr noundef %4)
  store i32 %9, ptr %7, align 4
  %10 = icmp ne i32 %9, 0
  br i1 %10, label %21, label %11

11:                                               ; preds = %1
  %12 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 4), align 8
  %13 = load i32, ptr %4, align 4
  %14 = call i32 %12(ptr noundef %5, i32 noundef 75, i32 noundef %13)
  store i32 %14, ptr %7, align 4
  %15 = icmp ne i32 %14, 0
  br i1 %15, label %21, label %16

16:                                               ; preds = %11
  %17 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 4), align 8
  %18 = load i32, ptr %4, align 4
  %19 = call i32 %17(ptr noundef %6, i32 noundef 76, i32 noundef %18)
  store i32 %19, ptr %7, align 4
  %20 = icmp ne i32 %19, 0
  br i1 %20, label %21, label %24

21:                                               ; preds = %16, %11, %1
  %22 = load i32, ptr %7, align 4
  %23 = call i32 (i32, ptr, ...) @fail(i32 noundef 6, ptr noundef @.str.41, i32 noundef %22)
  store i32 %23, ptr %2, align 4
  br label %30

24:                                               ; preds = %16
  %25 = load i32, ptr %5, align 4
  %26 = mul nsw i32 10, %25
  %27 = load i32, ptr %6, align 4
  %28 = add nsw i32 %26, %27
  %29 = load ptr, ptr %3, align 8
  store i32 %28, ptr %29, align 4
  store i32 0, ptr %2, align 4
  br label %30

30:                                               ; preds = %24, %21
  %31 = load i32, ptr %2, align 4
  ret i32 %31
}

; Function Attrs: nounwind uwtable
define internal ptr @best(ptr noundef %0, i32 noundef %1, i32 noundef %2) #0 {
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  %7 = alloca ptr, align 8
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store i32 %1, ptr %5, align 4
  store i32 %2, ptr %6, align 4
  store ptr null, ptr %7, align 8
  store i32 0, ptr %9, align 4
  store i32 0, ptr %8, align 4
  br label %11

11:                                               ; preds = %43, %3
  %12 = load i32, ptr %8, align 4
  %13 = sext i32 %12 to i64
  %14 = load ptr, ptr %4, align 8
  %15 = getelementptr inbounds %struct.PREFIX_variant, ptr %14, i32 0, i32 10
  %16 = load i64, ptr %15, align 8
  %17 = icmp slt i64 %13, %16
  br i1 %17, label %18, label %46

18:                                               ; preds = %11
  %19 = load ptr, ptr %4, align 8
  %20 = getelementptr inbounds %struct.PREFIX_variant, ptr %19, i32 0, i32 13
  %21 = load ptr, ptr %20, align 8
  %22 = load i32, ptr %8, align 4
  %23 = sext i32 %22 to i64
  %24 = getelementptr inbounds %struct.code, ptr %21, i64 %23
  %25 = load i32, ptr %5, align 4
  %26 = call i32 @rank(ptr noundef %24, i32 noundef %25)
  store i32 %26, ptr %10, align 4
  %27 = load i32, ptr %10, align 4
  %28 = load i32, ptr %9, align 4
  %29 = icmp sgt i32 %27, %28
  br i1 %29, label %30, label %42

30:                                               ; preds = %18
  %31 = load i32, ptr %10, align 4
  %32 = load i32, ptr %6, align 4
  %33 = icmp slt i32 %31, %32
  br i1 %33, label %34, label %42

34:                                               ; preds = %30
  %35 = load ptr, ptr %4, align 8
  %36 = getelementptr inbounds %struct.PREFIX_variant, ptr %35, i32 0, i32 13
  %37 = load ptr, ptr %36, align 8
  %38 = load i32, ptr %8, align 4
  %39 = sext i32 %38 to i64
  %40 = getelementptr inbounds %struct.code, ptr %37, i64 %39
  store ptr %40, ptr %7, align 8
  %41 = load i32, ptr %10, align 4
  store i32 %41, ptr %9, align 4
  br label %42

42:                                               ; preds = %34, %30, %18
  br label %43

43:                                               ; preds = %42
  %44 = load i32, ptr %8, align 4
  %45 = add nsw i32 %44, 1
  store i32 %45, ptr %8, align 4
  br label %11, !llvm.loop !20

46:                                               ; preds = %11
  %47 = load ptr, ptr %7, align 8
  ret ptr %47
}

; Function Attrs: nounwind uwtable
define internal i32 @no_code(ptr noundef %0, i32 noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store i32 %1, ptr %4, align 4
  %5 = load ptr, ptr %3, align 8
  %6 = getelementptr inbounds %struct.PREFIX_variant, ptr %5, i32 0, i32 6
  %7 = load ptr, ptr %6, align 8
  %8 = load i32, ptr %4, align 4
  %9 = sdiv i32 %8, 10
  %10 = load i32, ptr %4, align 4
  %11 = srem i32 %10, 10
  %12 = call i32 (i32, ptr, ...) @fail(i32 noundef 3, ptr noundef @.str.42, ptr noundef %7, i32 noundef %9, i32 noundef %11)
  ret i32 %12
}

; Function Attrs: nounwind uwtable
define internal i32 @open_cuda() #0 {
  %1 = alloca i32, align 4
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  %7 = call ptr @getenv(ptr noundef @.str.34) #12
  store ptr %7, ptr %2, align 8
  %8 = load i32, ptr @cuda, align 8
  %9 = icmp ne i32 %8, 0
  br i1 %9, label %10, label %18

10:                                               ; preds = %0
  %11 = load i32, ptr @cuda, align 8
  %12 = icmp sgt i32 %11, 0
  br i1 %12, label %13, label %14

13:                                               ; preds = %10
  br label %16

14:                                               ; preds = %10
  %15 = call i32 (i32, ptr, ...) @fail(i32 noundef 4, ptr noundef @.str.35)
  br label %16

16:                                               ; preds = %14, %13
  %17 = phi i32 [ 0, %13 ], [ %15, %14 ]
  store i32 %17, ptr %1, align 4
  br label %64

18:                                               ; preds = %0
  store i32 -1, ptr @cuda, align 8
  %19 = load ptr, ptr %2, align 8
  %20 = icmp ne ptr %19, null
  br i1 %20, label %21, label %23

21:                                               ; preds = %18
  %22 = load ptr, ptr %2, align 8
  br label %24

23:                                               ; preds = %18
  br label %24

24:                                               ; preds = %23, %21
  %25 = phi ptr [ %22, %21 ], [ @.str.36, %23 ]
  %26 = call ptr @dlopen(ptr noundef %25, i32 noundef 2) #12
  store ptr %26, ptr %4, align 8
  %27 = load ptr, ptr %4, align 8
  %28 = icmp ne ptr %27, null
  br i1 %28, label %32, label %29

29:                                               ; preds = %24
  %30 = call ptr @dlerror() #12
  %31 = call i32 (i32, ptr, ...) @fail(i32 noundef 4, ptr noundef @.str.37, ptr noundef %30)
  store i32 %31, ptr %1, align 4
  br label %64

32:                                               ; preds = %24
  store i64 0, ptr %3, align 8
  br label %33

33:                                               ; preds = %57, %32
  %34 = load i64, ptr %3, align 8
  %35 = icmp ult i64 %34, 16
  br i1 %35, label %36, label %60

36:                                               ; preds = %33
  %37 = load ptr, ptr %4, align 8
  %38 = load i64, ptr %3, align 8
  %39 = getelementptr inbounds [16 x %struct.anon.2], ptr @open_cuda.symbols, i64 0, i64 %38
  %40 = getelementptr inbounds %struct.anon.2, ptr %39, i32 0, i32 0
  %41 = load ptr, ptr %40, align 8
  %42 = call ptr @dlsym(ptr noundef %37, ptr noundef %41) #12
  store ptr %42, ptr %5, align 8
  %43 = load ptr, ptr %5, align 8
  %44 = icmp ne ptr %43, null
  br i1 %44, label %51, label %45

45:                                               ; preds = %36
  %46 = load i64, ptr %3, align 8
  %47 = getelementptr inbounds [16 x %struct.anon.2], ptr @open_cuda.symbols, i64 0, i64 %46
  %48 = getelementptr inbounds %struct.anon.2, ptr %47, i32 0, i32 0
  %49 = load ptr, ptr %48, align 8
  %50 = call i32 (i32, ptr, ...) @fail(i32 noundef 4, ptr noundef @.str.38, ptr noundef %49)
  store i32 %50, ptr %1, align 4
  br label %64

51:                                               ; preds = %36
  %52 = load i64, ptr %3, align 8
  %53 = getelementptr inbounds [16 x %struct.anon.2], ptr @open_cuda.symbols, i64 0, i64 %52
  %54 = getelementptr inbounds %struct.anon.2, ptr %53, i32 0, i32 1
  %55 = load i64, ptr %54, align 8
  %56 = getelementptr inbounds i8, ptr @cuda, i64 %55
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %56, ptr align 8 %5, i64 8, i1 false)
  br label %57

57:                                               ; preds = %51
  %58 = load i64, ptr %3, align 8
  %59 = add i64 %58, 1
  store i64 %59, ptr %3, align 8
  br label %33, !llvm.loop !21

60:                                               ; preds = %33
  %61 = load ptr, ptr %4, align 8
  %62 = call ptr @dlsym(ptr noundef %61, ptr noundef @.str.39) #12
  store ptr %62, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 17), align 8
  store i32 1, ptr %6, align 4
  %63 = load i32, ptr %6, align 4
  store atomic i32 %63, ptr @cuda release, align 8
  store i32 0, ptr %1, align 4
  br label %64

64:                                               ; preds = %60, %45, %29, %16
  %65 = load i32, ptr %1, align 4
  ret i32 %65
}

; Function Attrs: nounwind uwtable
define internal i32 @current(ptr noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  %5 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 1), align 8
  %6 = load ptr, ptr %3, align 8
  %7 = call i32 %5(ptr noundef %6)
  store i32 %7, ptr %4, align 4
  %8 = icmp eq i32 %7, 0
  br i1 %8, label %9, label %14

9:                                                ; preds = %1
  %10 = load ptr, ptr %3, align 8
  %11 = load ptr, ptr %10, align 8
  %12 = icmp ne ptr %11, null
  br i1 %12, label %13, label %14

13:                                               ; preds = %9
  store i32 0, ptr %2, align 4
  br label %17

14:                                               ; preds = %9, %1
  %15 = load i32, ptr %4, align 4
  %16 = call i32 (i32, ptr, ...) @fail(i32 noundef 4, ptr noundef @.str.40, i32 noundef %15)
  store i32 %16, ptr %2, align 4
  br label %17

17:                                               ; preds = %14, %13
  %18 = load i32, ptr %2, align 4
  ret i32 %18
}

; Function Attrs: nounwind
declare ptr @getenv(ptr noundef) #2

; Function Attrs: nounwind
declare ptr @dlopen(ptr noundef, i32 noundef) #2

; Function Attrs: nounwind
declare ptr @dlerror() #2

; Function Attrs: nounwind
declare ptr @dlsym(ptr noundef, ptr noundef) #2

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #5

; Function Attrs: nounwind uwtable
define internal i32 @rank(ptr noundef %0, i32 noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store i32 %1, ptr %5, align 4
  %6 = load ptr, ptr %4, align 8
  %7 = getelementptr inbounds %struct.code, ptr %6, i32 0, i32 0
  %8 = load i64, ptr %7, align 8
  %9 = icmp ne i64 %8, 1
  br i1 %9, label %10, label %16

10:                                               ; preds = %2
  %11 = load ptr, ptr %4, align 8
  %12 = getelementptr inbounds %struct.code, ptr %11, i32 0, i32 0
  %13 = load i64, ptr %12, align 8
  %14 = icmp ne i64 %13, 2
  br i1 %14, label %15, label %16

15:                                               ; preds = %10
  store i32 0, ptr %3, align 4
  br label %72

16:                                               ; preds = %10, %2
  %17 = load ptr, ptr %4, align 8
  %18 = getelementptr inbounds %struct.code, ptr %17, i32 0, i32 4
  %19 = load i64, ptr %18, align 8
  %20 = load i32, ptr %5, align 4
  %21 = sext i32 %20 to i64
  %22 = icmp eq i64 %19, %21
  br i1 %22, label %23, label %30

23:                                               ; preds = %16
  %24 = load ptr, ptr %4, align 8
  %25 = getelementptr inbounds %struct.code, ptr %24, i32 0, i32 0
  %26 = load i64, ptr %25, align 8
  %27 = icmp eq i64 %26, 1
  %28 = zext i1 %27 to i64
  %29 = select i1 %27, i32 4000, i32 2000
  store i32 %29, ptr %3, align 4
  br label %72

30:                                               ; preds = %16
  %31 = load ptr, ptr %4, align 8
  %32 = getelementptr inbounds %struct.code, ptr %31, i32 0, i32 5
  %33 = load i64, ptr %32, align 8
  %34 = icmp ne i64 %33, 0
  br i1 %34, label %42, label %35

35:                                               ; preds = %30
  %36 = load ptr, ptr %4, align 8
  %37 = getelementptr inbounds %struct.code, ptr %36, i32 0, i32 4
  %38 = load i64, ptr %37, align 8
  %39 = load i32, ptr %5, align 4
  %40 = sext i32 %39 to i64
  %41 = icmp sgt i64 %38, %40
  br i1 %41, label %42, label %43

42:                                               ; preds = %35, %30
  store i32 0, ptr %3, align 4
  br label %72

43:                                               ; preds = %35
  %44 = load ptr, ptr %4, align 8
  %45 = getelementptr inbounds %struct.code, ptr %44, i32 0, i32 0
  %46 = load i64, ptr %45, align 8
  %47 = icmp eq i64 %46, 1
  br i1 %47, label %48, label %66

48:                                               ; preds = %43
  %49 = load ptr, ptr %4, align 8
  %50 = getelementptr inbounds %struct.code, ptr %49, i32 0, i32 4
  %51 = load i64, ptr %50, align 8
  %52 = sdiv i64 %51, 10
  %53 = load i32, ptr %5, align 4
  %54 = sdiv i32 %53, 10
  %55 = sext i32 %54 to i64
  %56 = icmp eq i64 %52, %55
  br i1 %56, label %57, label %63

57:                                               ; preds = %48
  %58 = load ptr, ptr %4, align 8
  %59 = getelementptr inbounds %struct.code, ptr %58, i32 0, i32 4
  %60 = load i64, ptr %59, align 8
  %61 = trunc i64 %60 to i32
  %62 = add nsw i32 3000, %61
  br label %64

63:                                               ; preds = %48
  br label %64

64:                                               ; preds = %63, %57
  %65 = phi i32 [ %62, %57 ], [ 0, %63 ]
  store i32 %65, ptr %3, align 4
  br label %72

66:                                               ; preds = %43
  %67 = load ptr, ptr %4, align 8
  %68 = getelementptr inbounds %struct.code, ptr %67, i32 0, i32 4
  %69 = load i64, ptr %68, align 8
  %70 = trunc i64 %69 to i32
  %71 = add nsw i32 1000, %70
  store i32 %71, ptr %3, align 4
  br label %72

72:                                               ; preds = %66, %64, %42, %23, %15
  %73 = load i32, ptr %3, align 4
  ret i32 %73
}

; Function Attrs: nounwind willreturn memory(read)
declare i64 @strlen(ptr noundef) #4

; Function Attrs: nounwind uwtable
define internal i32 @suits(ptr noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  %6 = load ptr, ptr %3, align 8
  %7 = getelementptr inbounds %struct.code, ptr %6, i32 0, i32 12
  %8 = load ptr, ptr %7, align 8
  store ptr %8, ptr %4, align 8
  %9 = load ptr, ptr %3, align 8
  %10 = getelementptr inbounds %struct.code, ptr %9, i32 0, i32 0
  %11 = load i64, ptr %10, align 8
  %12 = icmp ne i64 %11, 3
  br i1 %12, label %18, label %13

13:                                               ; preds = %1
  %14 = load ptr, ptr %3, align 8
  %15 = getelementptr inbounds %struct.code, ptr %14, i32 0, i32 13
  %16 = load ptr, ptr %15, align 8
  %17 = icmp ne ptr %16, null
  br i1 %17, label %19, label %18

18:                                               ; preds = %13, %1
  store i32 0, ptr %2, align 4
  br label %53

19:                                               ; preds = %13
  br label %20

20:                                               ; preds = %39, %19
  %21 = load ptr, ptr %4, align 8
  %22 = load i8, ptr %21, align 1
  %23 = icmp ne i8 %22, 0
  br i1 %23, label %24, label %52

24:                                               ; preds = %20
  %25 = load ptr, ptr %4, align 8
  %26 = call i64 @strcspn(ptr noundef %25, ptr noundef @.str.44) #13
  store i64 %26, ptr %5, align 8
  %27 = load ptr, ptr %4, align 8
  %28 = load i8, ptr %27, align 1
  %29 = zext i8 %28 to i32
  %30 = icmp eq i32 %29, 43
  br i1 %30, label %31, label %39

31:                                               ; preds = %24
  %32 = load ptr, ptr %4, align 8
  %33 = getelementptr inbounds i8, ptr %32, i64 1
  %34 = load i64, ptr %5, align 8
  %35 = sub i64 %34, 1
  %36 = call i32 @has_feature(ptr noundef %33, i64 noundef %35)
  %37 = icmp ne i32 %36, 0
  br i1 %37, label %39, label %38

38:                                               ; preds = %31
  store i32 0, ptr %2, align 4
  br label %53

39:                                               ; preds = %31, %24
  %40 = load i64, ptr %5, align 8
  %41 = load ptr, ptr %4, align 8
  %42 = load i64, ptr %5, align 8
  %43 = getelementptr inbounds i8, ptr %41, i64 %42
  %44 = load i8, ptr %43, align 1
  %45 = zext i8 %44 to i32
  %46 = icmp eq i32 %45, 44
  %47 = zext i1 %46 to i32
  %48 = sext i32 %47 to i64
  %49 = add i64 %40, %48
  %50 = load ptr, ptr %4, align 8
  %51 = getelementptr inbounds i8, ptr %50, i64 %49
  store ptr %51, ptr %4, align 8
  br label %20, !llvm.loop !22

52:                                               ; preds = %20
  store i32 1, ptr %2, align 4
  br label %53

53:                                               ; preds = %52, %38, %18
  %54 = load i32, ptr %2, align 4
  ret i32 %54
}

; Function Attrs: nounwind willreturn memory(read)
declare i64 @strcspn(ptr noundef, ptr noundef) #4

; Function Attrs: nounwind uwtable
define internal i32 @has_feature(ptr noundef %0, i64 noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = load i64, ptr %4, align 8
  ret i32 1
}

; Function Attrs: nounwind uwtable
define internal i32 @launch_cuda(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) #0 {
  %5 = alloca i32, align 4
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca [256 x ptr], align 8
  %11 = alloca ptr, align 8
  %12 = alloca i64, align 8
  %13 = alloca i32, align 4
  %14 = alloca i32, align 4
  store ptr %0, ptr %6, align 8
  store ptr %1, ptr %7, align 8
  store ptr %2, ptr %8, align 8
  store ptr %3, ptr %9, align 8
  store i32 0, ptr %13, align 4
  %15 = load ptr, ptr %6, align 8
  %16 = call i32 @bound_code(ptr noundef %15, ptr noundef %11)
  store i32 %16, ptr %14, align 4
  %17 = load i32, ptr %14, align 4
  %18 = icmp ne i32 %17, 0
  br i1 %18, label %19, label %21

19:                                               ; preds = %4
  %20 = load i32, ptr %14, align 4
  store i32 %20, ptr %5, align 4
  br label %107

21:                                               ; preds = %4
  %22 = load ptr, ptr %8, align 8
  %23 = getelementptr inbounds i32, ptr %22, i64 0
  %24 = load i32, ptr %23, align 4
  %25 = icmp ugt i32 %24, 2147483647
  br i1 %25, label %36, label %26

26:                                               ; preds = %21
  %27 = load ptr, ptr %8, align 8
  %28 = getelementptr inbounds i32, ptr %27, i64 1
  %29 = load i32, ptr %28, align 4
  %30 = icmp ugt i32 %29, 65535
  br i1 %30, label %36, label %31

31:                                               ; preds = %26
  %32 = load ptr, ptr %8, align 8
  %33 = getelementptr inbounds i32, ptr %32, i64 2
  %34 = load i32, ptr %33, align 4
  %35 = icmp ugt i32 %34, 65535
  br i1 %35, label %36, label %40

36:                                               ; preds = %31, %26, %21
  %37 = load ptr, ptr %6, align 8
  %38 = load ptr, ptr %8, align 8
  %39 = call i32 @no_grid(ptr noundef %37, ptr noundef %38)
  store i32 %39, ptr %5, align 4
  br label %107

40:                                               ; preds = %31
  %41 = load ptr, ptr %11, align 8
  %42 = getelementptr inbounds %struct.bound, ptr %41, i32 0, i32 4
  %43 = load i32, ptr %42, align 8
  %44 = icmp ne i32 %43, 0
  br i1 %44, label %45, label %84

45:                                               ; preds = %40
  store i64 0, ptr %12, align 8
  br label %46

46:                                               ; preds = %58, %45
  %47 = load i64, ptr %12, align 8
  %48 = load ptr, ptr %6, align 8
  %49 = getelementptr inbounds %struct.PREFIX_variant, ptr %48, i32 0, i32 0
  %50 = load i64, ptr %49, align 8
  %51 = icmp slt i64 %47, %50
  br i1 %51, label %52, label %61

52:                                               ; preds = %46
  %53 = load ptr, ptr %9, align 8
  %54 = load i64, ptr %12, align 8
  %55 = getelementptr inbounds i64, ptr %53, i64 %54
  %56 = load i64, ptr %12, align 8
  %57 = getelementptr inbounds [256 x ptr], ptr %10, i64 0, i64 %56
  store ptr %55, ptr %57, align 8
  br label %58

58:                                               ; preds = %52
  %59 = load i64, ptr %12, align 8
  %60 = add nsw i64 %59, 1
  store i64 %60, ptr %12, align 8
  br label %46, !llvm.loop !23

61:                                               ; preds = %46
  %62 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 2), align 8
  %63 = load ptr, ptr %11, align 8
  %64 = getelementptr inbounds %struct.bound, ptr %63, i32 0, i32 1
  %65 = load ptr, ptr %64, align 8
  %66 = load ptr, ptr %8, align 8
  %67 = getelementptr inbounds i32, ptr %66, i64 0
  %68 = load i32, ptr %67, align 4
  %69 = load ptr, ptr %8, align 8
  %70 = getelementptr inbounds i32, ptr %69, i64 1
  %71 = load i32, ptr %70, align 4
  %72 = load ptr, ptr %8, align 8
  %73 = getelementptr inbounds i32, ptr %72, i64 2
  %74 = load i32, ptr %73, align 4
  %75 = load ptr, ptr %11, align 8
  %76 = getelementptr inbounds %struct.bound, ptr %75, i32 0, i32 2
  %77 = load i32, ptr %76, align 8
  %78 = load ptr, ptr %11, align 8
  %79 = getelementptr inbounds %struct.bound, ptr %78, i32 0, i32 3
  %80 = load i32, ptr %79, align 4
  %81 = load ptr, ptr %7, align 8
  %82 = getelementptr inbounds [256 x ptr], ptr %10, i64 0, i64 0
  %83 = call i32 %62(ptr noundef %65, i32 noundef %68, i32 noundef %71, i32 noundef %74, i32 noundef %77, i32 noundef 1, i32 noundef 1, i32 noundef %80, ptr noundef %81, ptr noundef %82, ptr noundef null)
  store i32 %83, ptr %13, align 4
  br label %95

84:                                               ; preds = %40
  %85 = load ptr, ptr %6, align 8
  %86 = load ptr, ptr %11, align 8
  %87 = load ptr, ptr %7, align 8
  %88 = load ptr, ptr %8, align 8
  %89 = load ptr, ptr %9, align 8
  %90 = call i32 @launch_special(ptr noundef %85, ptr noundef %86, ptr noundef %87, ptr noundef %88, ptr noundef %89, ptr noundef %13)
  store i32 %90, ptr %14, align 4
  %91 = icmp ne i32 %90, 0
  br i1 %91, label %92, label %94

92:                                               ; preds = %84
  %93 = load i32, ptr %14, align 4
  store i32 %93, ptr %5, align 4
  br label %107

94:                                               ; preds = %84
  br label %95

95:                                               ; preds = %94, %61
  %96 = load i32, ptr %13, align 4
  %97 = icmp ne i32 %96, 0
  br i1 %97, label %98, label %104

98:                                               ; preds = %95
  %99 = load ptr, ptr %6, align 8
  %100 = getelementptr inbounds %struct.PREFIX_variant, ptr %99, i32 0, i32 6
  %101 = load ptr, ptr %100, align 8
  %102 = load i32, ptr %13, align 4
  %103 = call i32 (i32, ptr, ...) @fail(i32 noundef 6, ptr noundef @.str.45, ptr noundef %101, i32 noundef %102)
  br label %105

104:                                              ; preds = %95
  br label %105

105:                                              ; preds = %104, %98
  %106 = phi i32 [ %103, %98 ], [ 0, %104 ]
  store i32 %106, ptr %5, align 4
  br label %107

107:                                              ; preds = %105, %92, %36, %19
  %108 = load i32, ptr %5, align 4
  ret i32 %108
}

; Function Attrs: nounwind uwtable
define internal i32 @launch_host(ptr noundef %0, ptr noundef %1, i32 noundef %2, ptr noundef %3, ptr noundef %4) #0 {
  %6 = alloca i32, align 4
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca i32, align 4
  %10 = alloca ptr, align 8
  %11 = alloca ptr, align 8
  %12 = alloca %struct.job, align 8
  %13 = alloca i32, align 4
  %14 = alloca i32, align 4
  %15 = alloca i64, align 8
  store ptr %0, ptr %7, align 8
  store ptr %1, ptr %8, align 8
  store i32 %2, ptr %9, align 4
  store ptr %3, ptr %10, align 8
  store ptr %4, ptr %11, align 8
  %16 = getelementptr inbounds %struct.job, ptr %12, i32 0, i32 0
  store ptr null, ptr %16, align 8
  %17 = getelementptr inbounds %struct.job, ptr %12, i32 0, i32 1
  %18 = load ptr, ptr %11, align 8
  store ptr %18, ptr %17, align 8
  %19 = getelementptr inbounds %struct.job, ptr %12, i32 0, i32 2
  %20 = load ptr, ptr %10, align 8
  %21 = getelementptr inbounds i32, ptr %20, i64 0
  %22 = load i32, ptr %21, align 4
  %23 = zext i32 %22 to i64
  store i64 %23, ptr %19, align 8
  %24 = getelementptr inbounds i64, ptr %19, i64 1
  %25 = load ptr, ptr %10, align 8
  %26 = getelementptr inbounds i32, ptr %25, i64 1
  %27 = load i32, ptr %26, align 4
  %28 = zext i32 %27 to i64
  store i64 %28, ptr %24, align 8
  %29 = getelementptr inbounds i64, ptr %19, i64 2
  %30 = load ptr, ptr %10, align 8
  %31 = getelementptr inbounds i32, ptr %30, i64 2
  %32 = load i32, ptr %31, align 4
  %33 = zext i32 %32 to i64
  store i64 %33, ptr %29, align 8
  %34 = getelementptr inbounds i64, ptr %19, i64 3
  store i64 0, ptr %34, align 8
  %35 = getelementptr inbounds i64, ptr %19, i64 4
  store i64 0, ptr %35, align 8
  %36 = getelementptr inbounds %struct.job, ptr %12, i32 0, i32 3
  store i64 0, ptr %36, align 8
  %37 = getelementptr inbounds %struct.job, ptr %12, i32 0, i32 4
  store i64 0, ptr %37, align 8
  %38 = getelementptr inbounds %struct.job, ptr %12, i32 0, i32 5
  store i64 1, ptr %38, align 8
  %39 = getelementptr inbounds %struct.job, ptr %12, i32 0, i32 6
  store i32 0, ptr %39, align 8
  %40 = getelementptr inbounds %struct.job, ptr %12, i32 0, i32 7
  store i32 0, ptr %40, align 4
  %41 = load ptr, ptr %7, align 8
  %42 = getelementptr inbounds %struct.job, ptr %12, i32 0, i32 0
  %43 = call i32 @host_code(ptr noundef %41, ptr noundef %42)
  store i32 %43, ptr %13, align 4
  %44 = load i32, ptr %9, align 4
  %45 = icmp slt i32 %44, 1
  br i1 %45, label %46, label %48

46:                                               ; preds = %5
  %47 = call i32 @processors()
  br label %50

48:                                               ; preds = %5
  %49 = load i32, ptr %9, align 4
  br label %50

50:                                               ; preds = %48, %46
  %51 = phi i32 [ %47, %46 ], [ %49, %48 ]
  store i32 %51, ptr %14, align 4
  %52 = load i32, ptr %13, align 4
  %53 = icmp ne i32 %52, 0
  br i1 %53, label %54, label %56

54:                                               ; preds = %50
  %55 = load i32, ptr %13, align 4
  store i32 %55, ptr %6, align 4
  br label %175

56:                                               ; preds = %50
  %57 = load ptr, ptr %10, align 8
  %58 = getelementptr inbounds i32, ptr %57, i64 0
  %59 = load i32, ptr %58, align 4
  %60 = zext i32 %59 to i64
  %61 = load ptr, ptr %10, align 8
  %62 = getelementptr inbounds i32, ptr %61, i64 1
  %63 = load i32, ptr %62, align 4
  %64 = zext i32 %63 to i64
  %65 = mul i64 %60, %64
  %66 = load ptr, ptr %10, align 8
  %67 = getelementptr inbounds i32, ptr %66, i64 2
  %68 = load i32, ptr %67, align 4
  %69 = zext i32 %68 to i64
  %70 = sdiv i64 9223372036854775807, %69
  %71 = icmp ugt i64 %65, %70
  br i1 %71, label %72, label %86

72:                                               ; preds = %56
  %73 = load ptr, ptr %7, align 8
  %74 = getelementptr inbounds %struct.PREFIX_variant, ptr %73, i32 0, i32 6
  %75 = load ptr, ptr %74, align 8
  %76 = load ptr, ptr %10, align 8
  %77 = getelementptr inbounds i32, ptr %76, i64 0
  %78 = load i32, ptr %77, align 4
  %79 = load ptr, ptr %10, align 8
  %80 = getelementptr inbounds i32, ptr %79, i64 1
  %81 = load i32, ptr %80, align 4
  %82 = load ptr, ptr %10, align 8
  %83 = getelementptr inbounds i32, ptr %82, i64 2
  %84 = load i32, ptr %83, align 4
  %85 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.53, ptr noundef %75, i32 noundef %78, i32 noundef %81, i32 noundef %84)
  store i32 %85, ptr %6, align 4
  br label %175

86:                                               ; preds = %56
  %87 = load ptr, ptr %10, align 8
  %88 = getelementptr inbounds i32, ptr %87, i64 0
  %89 = load i32, ptr %88, align 4
  %90 = zext i32 %89 to i64
  %91 = load ptr, ptr %10, align 8
  %92 = getelementptr inbounds i32, ptr %91, i64 1
  %93 = load i32, ptr %92, align 4
  %94 = zext i32 %93 to i64
  %95 = mul nsw i64 %90, %94
  %96 = load ptr, ptr %10, align 8
  %97 = getelementptr inbounds i32, ptr %96, i64 2
  %98 = load i32, ptr %97, align 4
  %99 = zext i32 %98 to i64
  %100 = mul nsw i64 %95, %99
  %101 = getelementptr inbounds %struct.job, ptr %12, i32 0, i32 4
  store i64 %100, ptr %101, align 8
  %102 = call i32 @alone(ptr noundef %12)
  store i32 %102, ptr %13, align 4
  %103 = load i32, ptr %13, align 4
  %104 = icmp ne i32 %103, 0
  br i1 %104, label %150, label %105

105:                                              ; preds = %86
  %106 = getelementptr inbounds %struct.job, ptr %12, i32 0, i32 3
  %107 = load i64, ptr %106, align 8
  %108 = getelementptr inbounds %struct.job, ptr %12, i32 0, i32 4
  %109 = load i64, ptr %108, align 8
  %110 = icmp slt i64 %107, %109
  br i1 %110, label %111, label %150

111:                                              ; preds = %105
  %112 = getelementptr inbounds %struct.job, ptr %12, i32 0, i32 4
  %113 = load i64, ptr %112, align 8
  %114 = getelementptr inbounds %struct.job, ptr %12, i32 0, i32 3
  %115 = load i64, ptr %114, align 8
  %116 = sub nsw i64 %113, %115
  store i64 %116, ptr %15, align 8
  %117 = load i32, ptr %14, align 4
  %118 = icmp sgt i32 %117, 256
  br i1 %118, label %119, label %120

119:                                              ; preds = %111
  store i32 256, ptr %14, align 4
  br label %120

120:                                              ; preds = %119, %111
  %121 = load i32, ptr %14, align 4
  %122 = sext i32 %121 to i64
  %123 = load i64, ptr %15, align 8
  %124 = icmp sgt i64 %122, %123
  br i1 %124, label %125, label %128

125:                                              ; preds = %120
  %126 = load i64, ptr %15, align 8
  %127 = trunc i64 %126 to i32
  store i32 %127, ptr %14, align 4
  br label %128

128:                                              ; preds = %125, %120
  %129 = load i64, ptr %15, align 8
  %130 = load i32, ptr %14, align 4
  %131 = mul nsw i32 8, %130
  %132 = sext i32 %131 to i64
  %133 = sdiv i64 %129, %132
  %134 = add nsw i64 1, %133
  %135 = getelementptr inbounds %struct.job, ptr %12, i32 0, i32 5
  store i64 %134, ptr %135, align 8
  %136 = load ptr, ptr %8, align 8
  %137 = icmp ne ptr %136, null
  br i1 %137, label %138, label %145

138:                                              ; preds = %128
  %139 = load ptr, ptr %8, align 8
  %140 = getelementptr inbounds %struct.helpers, ptr %139, i32 0, i32 0
  %141 = load ptr, ptr %140, align 8
  %142 = load ptr, ptr %8, align 8
  %143 = getelementptr inbounds %struct.helpers, ptr %142, i32 0, i32 1
  %144 = load ptr, ptr %143, align 8
  call void %141(ptr noundef %144, ptr noundef %12)
  br label %147

145:                                              ; preds = %128
  %146 = load i32, ptr %14, align 4
  call void @share(ptr noundef %12, i32 noundef %146)
  br label %147

147:                                              ; preds = %145, %138
  %148 = getelementptr inbounds %struct.job, ptr %12, i32 0, i32 7
  %149 = load i32, ptr %148, align 4
  store i32 %149, ptr %13, align 4
  br label %150

150:                                              ; preds = %147, %105, %86
  %151 = load i32, ptr %13, align 4
  %152 = icmp eq i32 %151, 5
  br i1 %152, label %153, label %163

153:                                              ; preds = %150
  %154 = load i32, ptr %13, align 4
  %155 = load ptr, ptr %7, align 8
  %156 = getelementptr inbounds %struct.PREFIX_variant, ptr %155, i32 0, i32 6
  %157 = load ptr, ptr %156, align 8
  %158 = getelementptr inbounds %struct.job, ptr %12, i32 0, i32 0
  %159 = load ptr, ptr %158, align 8
  %160 = getelementptr inbounds %struct.code, ptr %159, i32 0, i32 9
  %161 = load i64, ptr %160, align 8
  %162 = call i32 (i32, ptr, ...) @fail(i32 noundef %154, ptr noundef @.str.54, ptr noundef %157, i64 noundef %161)
  store i32 %162, ptr %6, align 4
  br label %175

163:                                              ; preds = %150
  %164 = load i32, ptr %13, align 4
  %165 = icmp ne i32 %164, 0
  br i1 %165, label %166, label %172

166:                                              ; preds = %163
  %167 = load i32, ptr %13, align 4
  %168 = load ptr, ptr %7, align 8
  %169 = getelementptr inbounds %struct.PREFIX_variant, ptr %168, i32 0, i32 6
  %170 = load ptr, ptr %169, align 8
  %171 = call i32 (i32, ptr, ...) @fail(i32 noundef %167, ptr noundef @.str.55, ptr noundef %170)
  br label %173

172:                                              ; preds = %163
  br label %173

173:                                              ; preds = %172, %166
  %174 = phi i32 [ %171, %166 ], [ 0, %172 ]
  store i32 %174, ptr %6, align 4
  br label %175

175:                                              ; preds = %173, %153, %72, %54
  %176 = load i32, ptr %6, align 4
  ret i32 %176
}

; Function Attrs: nounwind uwtable
define internal i32 @bound_code(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  %8 = call i32 @in_context(ptr noundef %6)
  store i32 %8, ptr %7, align 4
  %9 = load i32, ptr %7, align 4
  %10 = icmp ne i32 %9, 0
  br i1 %10, label %11, label %13

11:                                               ; preds = %2
  %12 = load i32, ptr %7, align 4
  store i32 %12, ptr %3, align 4
  br label %28

13:                                               ; preds = %2
  %14 = load ptr, ptr %4, align 8
  %15 = load ptr, ptr %6, align 8
  %16 = call ptr @bound_in(ptr noundef %14, ptr noundef %15)
  %17 = load ptr, ptr %5, align 8
  store ptr %16, ptr %17, align 8
  %18 = icmp ne ptr %16, null
  br i1 %18, label %19, label %20

19:                                               ; preds = %13
  store i32 0, ptr %3, align 4
  br label %28

20:                                               ; preds = %13
  %21 = call i32 @pthread_mutex_lock(ptr noundef @lock) #12
  %22 = load ptr, ptr %4, align 8
  %23 = load ptr, ptr %6, align 8
  %24 = load ptr, ptr %5, align 8
  %25 = call i32 @bind(ptr noundef %22, ptr noundef %23, ptr noundef %24)
  store i32 %25, ptr %7, align 4
  %26 = call i32 @pthread_mutex_unlock(ptr noundef @lock) #12
  %27 = load i32, ptr %7, align 4
  store i32 %27, ptr %3, align 4
  br label %28

28:                                               ; preds = %20, %19, %11
  %29 = load i32, ptr %3, align 4
  ret i32 %29
}

; Function Attrs: nounwind uwtable
define internal i32 @no_grid(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = getelementptr inbounds %struct.PREFIX_variant, ptr %5, i32 0, i32 6
  %7 = load ptr, ptr %6, align 8
  %8 = load ptr, ptr %4, align 8
  %9 = getelementptr inbounds i32, ptr %8, i64 0
  %10 = load i32, ptr %9, align 4
  %11 = load ptr, ptr %4, align 8
  %12 = getelementptr inbounds i32, ptr %11, i64 1
  %13 = load i32, ptr %12, align 4
  %14 = load ptr, ptr %4, align 8
  %15 = getelementptr inbounds i32, ptr %14, i64 2
  %16 = load i32, ptr %15, align 4
  %17 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.49, ptr noundef %7, i32 noundef %10, i32 noundef %13, i32 noundef %16)
  ret i32 %17
}

; Function Attrs: nounwind uwtable
define internal i32 @launch_special(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5) #0 {
  %7 = alloca i32, align 4
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca ptr, align 8
  %11 = alloca ptr, align 8
  %12 = alloca ptr, align 8
  %13 = alloca ptr, align 8
  %14 = alloca [257 x ptr], align 8
  %15 = alloca [32 x %struct.encoded], align 64
  %16 = alloca i64, align 8
  %17 = alloca ptr, align 8
  %18 = alloca i32, align 4
  %19 = alloca i32, align 4
  %20 = alloca i64, align 8
  store ptr %0, ptr %8, align 8
  store ptr %1, ptr %9, align 8
  store ptr %2, ptr %10, align 8
  store ptr %3, ptr %11, align 8
  store ptr %4, ptr %12, align 8
  store ptr %5, ptr %13, align 8
  store i64 0, ptr %16, align 8
  %21 = load ptr, ptr %9, align 8
  %22 = getelementptr inbounds %struct.bound, ptr %21, i32 0, i32 5
  %23 = load ptr, ptr %22, align 8
  store ptr %23, ptr %17, align 8
  %24 = load ptr, ptr %8, align 8
  %25 = load ptr, ptr %17, align 8
  %26 = load ptr, ptr %12, align 8
  %27 = getelementptr inbounds [32 x %struct.encoded], ptr %15, i64 0, i64 0
  %28 = getelementptr inbounds [257 x ptr], ptr %14, i64 0, i64 0
  %29 = call i32 @parameters(ptr noundef %24, ptr noundef %25, ptr noundef %26, ptr noundef %27, ptr noundef %28, ptr noundef %18)
  store i32 %29, ptr %19, align 4
  %30 = load i32, ptr %19, align 4
  %31 = icmp ne i32 %30, 0
  br i1 %31, label %32, label %34

32:                                               ; preds = %6
  %33 = load i32, ptr %19, align 4
  store i32 %33, ptr %7, align 4
  br label %145

34:                                               ; preds = %6
  %35 = load ptr, ptr %11, align 8
  %36 = getelementptr inbounds i32, ptr %35, i64 0
  %37 = load i32, ptr %36, align 4
  %38 = zext i32 %37 to i64
  %39 = load ptr, ptr %17, align 8
  %40 = getelementptr inbounds %struct.code, ptr %39, i32 0, i32 7
  %41 = load i64, ptr %40, align 8
  %42 = sdiv i64 2147483647, %41
  %43 = icmp sgt i64 %38, %42
  br i1 %43, label %44, label %48

44:                                               ; preds = %34
  %45 = load ptr, ptr %8, align 8
  %46 = load ptr, ptr %11, align 8
  %47 = call i32 @no_grid(ptr noundef %45, ptr noundef %46)
  store i32 %47, ptr %7, align 4
  br label %145

48:                                               ; preds = %34
  %49 = load ptr, ptr %17, align 8
  %50 = getelementptr inbounds %struct.code, ptr %49, i32 0, i32 9
  %51 = load i64, ptr %50, align 8
  %52 = icmp ne i64 %51, 0
  br i1 %52, label %53, label %90

53:                                               ; preds = %48
  %54 = load ptr, ptr %17, align 8
  %55 = getelementptr inbounds %struct.code, ptr %54, i32 0, i32 9
  %56 = load i64, ptr %55, align 8
  %57 = load ptr, ptr %11, align 8
  %58 = getelementptr inbounds i32, ptr %57, i64 0
  %59 = load i32, ptr %58, align 4
  %60 = zext i32 %59 to i64
  %61 = mul i64 %56, %60
  %62 = load ptr, ptr %11, align 8
  %63 = getelementptr inbounds i32, ptr %62, i64 1
  %64 = load i32, ptr %63, align 4
  %65 = zext i32 %64 to i64
  %66 = mul i64 %61, %65
  %67 = load ptr, ptr %11, align 8
  %68 = getelementptr inbounds i32, ptr %67, i64 2
  %69 = load i32, ptr %68, align 4
  %70 = zext i32 %69 to i64
  %71 = mul i64 %66, %70
  store i64 %71, ptr %20, align 8
  %72 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 9), align 8
  %73 = load i64, ptr %20, align 8
  %74 = load ptr, ptr %10, align 8
  %75 = call i32 %72(ptr noundef %16, i64 noundef %73, ptr noundef %74)
  %76 = load ptr, ptr %13, align 8
  store i32 %75, ptr %76, align 4
  %77 = icmp ne i32 %75, 0
  br i1 %77, label %78, label %86

78:                                               ; preds = %53
  %79 = load ptr, ptr %8, align 8
  %80 = getelementptr inbounds %struct.PREFIX_variant, ptr %79, i32 0, i32 6
  %81 = load ptr, ptr %80, align 8
  %82 = load i64, ptr %20, align 8
  %83 = load ptr, ptr %13, align 8
  %84 = load i32, ptr %83, align 4
  %85 = call i32 (i32, ptr, ...) @fail(i32 noundef 5, ptr noundef @.str.50, ptr noundef %81, i64 noundef %82, i32 noundef %84)
  store i32 %85, ptr %7, align 4
  br label %145

86:                                               ; preds = %53
  %87 = load i32, ptr %18, align 4
  %88 = sext i32 %87 to i64
  %89 = getelementptr inbounds [257 x ptr], ptr %14, i64 0, i64 %88
  store ptr %16, ptr %89, align 8
  br label %90

90:                                               ; preds = %86, %48
  %91 = load ptr, ptr %17, align 8
  %92 = getelementptr inbounds %struct.code, ptr %91, i32 0, i32 7
  %93 = load i64, ptr %92, align 8
  %94 = icmp sgt i64 %93, 1
  br i1 %94, label %105, label %95

95:                                               ; preds = %90
  %96 = load ptr, ptr %17, align 8
  %97 = getelementptr inbounds %struct.code, ptr %96, i32 0, i32 10
  %98 = load i64, ptr %97, align 8
  %99 = icmp ne i64 %98, 0
  br i1 %99, label %105, label %100

100:                                              ; preds = %95
  %101 = load ptr, ptr %17, align 8
  %102 = getelementptr inbounds %struct.code, ptr %101, i32 0, i32 11
  %103 = load i64, ptr %102, align 8
  %104 = icmp ne i64 %103, 0
  br i1 %104, label %105, label %112

105:                                              ; preds = %100, %95, %90
  %106 = load ptr, ptr %9, align 8
  %107 = load ptr, ptr %10, align 8
  %108 = load ptr, ptr %11, align 8
  %109 = getelementptr inbounds [257 x ptr], ptr %14, i64 0, i64 0
  %110 = call i32 @launch_attributes(ptr noundef %106, ptr noundef %107, ptr noundef %108, ptr noundef %109)
  %111 = load ptr, ptr %13, align 8
  store i32 %110, ptr %111, align 4
  br label %136

112:                                              ; preds = %100
  %113 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 2), align 8
  %114 = load ptr, ptr %9, align 8
  %115 = getelementptr inbounds %struct.bound, ptr %114, i32 0, i32 1
  %116 = load ptr, ptr %115, align 8
  %117 = load ptr, ptr %11, align 8
  %118 = getelementptr inbounds i32, ptr %117, i64 0
  %119 = load i32, ptr %118, align 4
  %120 = load ptr, ptr %11, align 8
  %121 = getelementptr inbounds i32, ptr %120, i64 1
  %122 = load i32, ptr %121, align 4
  %123 = load ptr, ptr %11, align 8
  %124 = getelementptr inbounds i32, ptr %123, i64 2
  %125 = load i32, ptr %124, align 4
  %126 = load ptr, ptr %9, align 8
  %127 = getelementptr inbounds %struct.bound, ptr %126, i32 0, i32 2
  %128 = load i32, ptr %127, align 8
  %129 = load ptr, ptr %9, align 8
  %130 = getelementptr inbounds %struct.bound, ptr %129, i32 0, i32 3
  %131 = load i32, ptr %130, align 4
  %132 = load ptr, ptr %10, align 8
  %133 = getelementptr inbounds [257 x ptr], ptr %14, i64 0, i64 0
  %134 = call i32 %113(ptr noundef %116, i32 noundef %119, i32 noundef %122, i32 noundef %125, i32 noundef %128, i32 noundef 1, i32 noundef 1, i32 noundef %131, ptr noundef %132, ptr noundef %133, ptr noundef null)
  %135 = load ptr, ptr %13, align 8
  store i32 %134, ptr %135, align 4
  br label %136

136:                                              ; preds = %112, %105
  %137 = load i64, ptr %16, align 8
  %138 = icmp ne i64 %137, 0
  br i1 %138, label %139, label %144

139:                                              ; preds = %136
  %140 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 10), align 8
  %141 = load i64, ptr %16, align 8
  %142 = load ptr, ptr %10, align 8
  %143 = call i32 %140(i64 noundef %141, ptr noundef %142)
  br label %144

144:                                              ; preds = %139, %136
  store i32 0, ptr %7, align 4
  br label %145

145:                                              ; preds = %144, %78, %44, %32
  %146 = load i32, ptr %7, align 4
  ret i32 %146
}

; Function Attrs: nounwind uwtable
define internal i32 @bind(ptr noundef %0, ptr noundef %1, ptr noundef %2) #0 {
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca ptr, align 8
  %12 = alloca ptr, align 8
  %13 = alloca ptr, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store ptr %2, ptr %7, align 8
  store i32 1073741824, ptr %10, align 4
  %14 = load ptr, ptr %5, align 8
  %15 = load ptr, ptr %6, align 8
  %16 = call ptr @bound_in(ptr noundef %14, ptr noundef %15)
  %17 = load ptr, ptr %7, align 8
  store ptr %16, ptr %17, align 8
  %18 = icmp ne ptr %16, null
  br i1 %18, label %19, label %20

19:                                               ; preds = %3
  store i32 0, ptr %4, align 4
  br label %132

20:                                               ; preds = %3
  %21 = call i32 @capability(ptr noundef %9)
  store i32 %21, ptr %8, align 4
  %22 = icmp ne i32 %21, 0
  br i1 %22, label %23, label %25

23:                                               ; preds = %20
  %24 = load i32, ptr %8, align 4
  store i32 %24, ptr %4, align 4
  br label %132

25:                                               ; preds = %20
  %26 = load ptr, ptr %5, align 8
  %27 = load i32, ptr %9, align 4
  %28 = load i32, ptr %10, align 4
  %29 = call ptr @best(ptr noundef %26, i32 noundef %27, i32 noundef %28)
  %30 = icmp ne ptr %29, null
  br i1 %30, label %35, label %31

31:                                               ; preds = %25
  %32 = load ptr, ptr %5, align 8
  %33 = load i32, ptr %9, align 4
  %34 = call i32 @no_code(ptr noundef %32, i32 noundef %33)
  store i32 %34, ptr %4, align 4
  br label %132

35:                                               ; preds = %25
  br label %36

36:                                               ; preds = %126, %35
  %37 = load ptr, ptr %5, align 8
  %38 = load i32, ptr %9, align 4
  %39 = load i32, ptr %10, align 4
  %40 = call ptr @best(ptr noundef %37, i32 noundef %38, i32 noundef %39)
  store ptr %40, ptr %11, align 8
  %41 = icmp ne ptr %40, null
  br i1 %41, label %42, label %130

42:                                               ; preds = %36
  %43 = load ptr, ptr %11, align 8
  %44 = call i32 @load(ptr noundef %43, ptr noundef %12)
  store i32 %44, ptr %8, align 4
  %45 = icmp ne i32 %44, 0
  br i1 %45, label %46, label %47

46:                                               ; preds = %42
  br label %126

47:                                               ; preds = %42
  %48 = call noalias align 64 ptr @aligned_alloc(i64 noundef 64, i64 noundef 64) #15
  %49 = load ptr, ptr %7, align 8
  store ptr %48, ptr %49, align 8
  %50 = icmp ne ptr %48, null
  br i1 %50, label %53, label %51

51:                                               ; preds = %47
  %52 = call i32 (i32, ptr, ...) @fail(i32 noundef 5, ptr noundef @.str.46)
  store i32 %52, ptr %4, align 4
  br label %132

53:                                               ; preds = %47
  %54 = load ptr, ptr %6, align 8
  %55 = load ptr, ptr %7, align 8
  %56 = load ptr, ptr %55, align 8
  %57 = getelementptr inbounds %struct.bound, ptr %56, i32 0, i32 0
  store ptr %54, ptr %57, align 8
  %58 = load ptr, ptr %12, align 8
  %59 = load ptr, ptr %7, align 8
  %60 = load ptr, ptr %59, align 8
  %61 = getelementptr inbounds %struct.bound, ptr %60, i32 0, i32 1
  store ptr %58, ptr %61, align 8
  %62 = load ptr, ptr %11, align 8
  %63 = load ptr, ptr %7, align 8
  %64 = load ptr, ptr %63, align 8
  %65 = getelementptr inbounds %struct.bound, ptr %64, i32 0, i32 5
  store ptr %62, ptr %65, align 8
  %66 = load ptr, ptr %5, align 8
  %67 = getelementptr inbounds %struct.PREFIX_variant, ptr %66, i32 0, i32 3
  %68 = load ptr, ptr %67, align 8
  %69 = getelementptr inbounds %struct.state, ptr %68, i32 0, i32 0
  %70 = load ptr, ptr %69, align 8
  %71 = load ptr, ptr %7, align 8
  %72 = load ptr, ptr %71, align 8
  %73 = getelementptr inbounds %struct.bound, ptr %72, i32 0, i32 6
  store ptr %70, ptr %73, align 8
  %74 = load ptr, ptr %11, align 8
  %75 = getelementptr inbounds %struct.code, ptr %74, i32 0, i32 6
  %76 = load i64, ptr %75, align 8
  %77 = trunc i64 %76 to i32
  %78 = load ptr, ptr %7, align 8
  %79 = load ptr, ptr %78, align 8
  %80 = getelementptr inbounds %struct.bound, ptr %79, i32 0, i32 2
  store i32 %77, ptr %80, align 8
  %81 = load ptr, ptr %11, align 8
  %82 = getelementptr inbounds %struct.code, ptr %81, i32 0, i32 8
  %83 = load i64, ptr %82, align 8
  %84 = trunc i64 %83 to i32
  %85 = load ptr, ptr %7, align 8
  %86 = load ptr, ptr %85, align 8
  %87 = getelementptr inbounds %struct.bound, ptr %86, i32 0, i32 3
  store i32 %84, ptr %87, align 4
  %88 = load ptr, ptr %11, align 8
  %89 = getelementptr inbounds %struct.code, ptr %88, i32 0, i32 7
  %90 = load i64, ptr %89, align 8
  %91 = icmp eq i64 %90, 1
  br i1 %91, label %92, label %113

92:                                               ; preds = %53
  %93 = load ptr, ptr %11, align 8
  %94 = getelementptr inbounds %struct.code, ptr %93, i32 0, i32 10
  %95 = load i64, ptr %94, align 8
  %96 = icmp ne i64 %95, 0
  br i1 %96, label %113, label %97

97:                                               ; preds = %92
  %98 = load ptr, ptr %11, align 8
  %99 = getelementptr inbounds %struct.code, ptr %98, i32 0, i32 11
  %100 = load i64, ptr %99, align 8
  %101 = icmp ne i64 %100, 0
  br i1 %101, label %113, label %102

102:                                              ; preds = %97
  %103 = load ptr, ptr %11, align 8
  %104 = getelementptr inbounds %struct.code, ptr %103, i32 0, i32 9
  %105 = load i64, ptr %104, align 8
  %106 = icmp ne i64 %105, 0
  br i1 %106, label %113, label %107

107:                                              ; preds = %102
  %108 = load ptr, ptr %11, align 8
  %109 = getelementptr inbounds %struct.code, ptr %108, i32 0, i32 14
  %110 = load i64, ptr %109, align 8
  %111 = icmp ne i64 %110, 0
  %112 = xor i1 %111, true
  br label %113

113:                                              ; preds = %107, %102, %97, %92, %53
  %114 = phi i1 [ false, %102 ], [ false, %97 ], [ false, %92 ], [ false, %53 ], [ %112, %107 ]
  %115 = zext i1 %114 to i32
  %116 = load ptr, ptr %7, align 8
  %117 = load ptr, ptr %116, align 8
  %118 = getelementptr inbounds %struct.bound, ptr %117, i32 0, i32 4
  store i32 %115, ptr %118, align 8
  %119 = load ptr, ptr %5, align 8
  %120 = getelementptr inbounds %struct.PREFIX_variant, ptr %119, i32 0, i32 3
  %121 = load ptr, ptr %120, align 8
  %122 = getelementptr inbounds %struct.state, ptr %121, i32 0, i32 0
  %123 = load ptr, ptr %7, align 8
  %124 = load ptr, ptr %123, align 8
  store ptr %124, ptr %13, align 8
  %125 = load i64, ptr %13, align 8
  store atomic i64 %125, ptr %122 release, align 8
  store i32 0, ptr %4, align 4
  br label %132

126:                                              ; preds = %46
  %127 = load ptr, ptr %11, align 8
  %128 = load i32, ptr %9, align 4
  %129 = call i32 @rank(ptr noundef %127, i32 noundef %128)
  store i32 %129, ptr %10, align 4
  br label %36, !llvm.loop !24

130:                                              ; preds = %36
  %131 = load i32, ptr %8, align 4
  store i32 %131, ptr %4, align 4
  br label %132

132:                                              ; preds = %130, %113, %51, %31, %23, %19
  %133 = load i32, ptr %4, align 4
  ret i32 %133
}

; Function Attrs: nounwind uwtable
define internal i32 @load(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  %8 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 5), align 8
  %9 = load ptr, ptr %4, align 8
  %10 = getelementptr inbounds %struct.code, ptr %9, i32 0, i32 3
  %11 = load ptr, ptr %10, align 8
  %12 = call i32 %8(ptr noundef %6, ptr noundef %11)
  store i32 %12, ptr %7, align 4
  %13 = icmp ne i32 %12, 0
  br i1 %13, label %23, label %14

14:                                               ; preds = %2
  %15 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 6), align 8
  %16 = load ptr, ptr %5, align 8
  %17 = load ptr, ptr %6, align 8
  %18 = load ptr, ptr %4, align 8
  %19 = getelementptr inbounds %struct.code, ptr %18, i32 0, i32 2
  %20 = load ptr, ptr %19, align 8
  %21 = call i32 %15(ptr noundef %16, ptr noundef %17, ptr noundef %20)
  store i32 %21, ptr %7, align 4
  %22 = icmp ne i32 %21, 0
  br i1 %22, label %23, label %32

23:                                               ; preds = %14, %2
  %24 = load ptr, ptr %4, align 8
  %25 = getelementptr inbounds %struct.code, ptr %24, i32 0, i32 2
  %26 = load ptr, ptr %25, align 8
  %27 = load ptr, ptr %4, align 8
  %28 = getelementptr inbounds %struct.code, ptr %27, i32 0, i32 1
  %29 = load ptr, ptr %28, align 8
  %30 = load i32, ptr %7, align 4
  %31 = call i32 (i32, ptr, ...) @fail(i32 noundef 3, ptr noundef @.str.47, ptr noundef %26, ptr noundef %29, i32 noundef %30)
  store i32 %31, ptr %3, align 4
  br label %58

32:                                               ; preds = %14
  %33 = load ptr, ptr %4, align 8
  %34 = getelementptr inbounds %struct.code, ptr %33, i32 0, i32 8
  %35 = load i64, ptr %34, align 8
  %36 = icmp sgt i64 %35, 49152
  br i1 %36, label %37, label %57

37:                                               ; preds = %32
  %38 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 7), align 8
  %39 = load ptr, ptr %5, align 8
  %40 = load ptr, ptr %39, align 8
  %41 = load ptr, ptr %4, align 8
  %42 = getelementptr inbounds %struct.code, ptr %41, i32 0, i32 8
  %43 = load i64, ptr %42, align 8
  %44 = trunc i64 %43 to i32
  %45 = call i32 %38(ptr noundef %40, i32 noundef 8, i32 noundef %44)
  store i32 %45, ptr %7, align 4
  %46 = icmp ne i32 %45, 0
  br i1 %46, label %47, label %57

47:                                               ; preds = %37
  %48 = load ptr, ptr %4, align 8
  %49 = getelementptr inbounds %struct.code, ptr %48, i32 0, i32 2
  %50 = load ptr, ptr %49, align 8
  %51 = load ptr, ptr %4, align 8
  %52 = getelementptr inbounds %struct.code, ptr %51, i32 0, i32 8
  %53 = load i64, ptr %52, align 8
  %54 = trunc i64 %53 to i32
  %55 = load i32, ptr %7, align 4
  %56 = call i32 (i32, ptr, ...) @fail(i32 noundef 3, ptr noundef @.str.48, ptr noundef %50, i32 noundef %54, i32 noundef %55)
  store i32 %56, ptr %3, align 4
  br label %58

57:                                               ; preds = %37, %32
  store i32 0, ptr %3, align 4
  br label %58

58:                                               ; preds = %57, %47, %23
  %59 = load i32, ptr %3, align 4
  ret i32 %59
}

; Function Attrs: nounwind allocsize(1)
declare noalias ptr @aligned_alloc(i64 noundef, i64 noundef) #6

; Function Attrs: nounwind uwtable
define internal i32 @parameters(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5) #0 {
  %7 = alloca i32, align 4
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca ptr, align 8
  %11 = alloca ptr, align 8
  %12 = alloca ptr, align 8
  %13 = alloca ptr, align 8
  %14 = alloca i32, align 4
  %15 = alloca i32, align 4
  %16 = alloca i32, align 4
  store ptr %0, ptr %8, align 8
  store ptr %1, ptr %9, align 8
  store ptr %2, ptr %10, align 8
  store ptr %3, ptr %11, align 8
  store ptr %4, ptr %12, align 8
  store ptr %5, ptr %13, align 8
  store i32 0, ptr %14, align 4
  store i32 0, ptr %15, align 4
  %17 = load ptr, ptr %13, align 8
  store i32 0, ptr %17, align 4
  br label %18

18:                                               ; preds = %78, %44, %6
  %19 = load i32, ptr %14, align 4
  %20 = sext i32 %19 to i64
  %21 = load ptr, ptr %8, align 8
  %22 = getelementptr inbounds %struct.PREFIX_variant, ptr %21, i32 0, i32 0
  %23 = load i64, ptr %22, align 8
  %24 = icmp slt i64 %20, %23
  br i1 %24, label %25, label %105

25:                                               ; preds = %18
  %26 = load i32, ptr %15, align 4
  %27 = sext i32 %26 to i64
  %28 = load ptr, ptr %9, align 8
  %29 = getelementptr inbounds %struct.code, ptr %28, i32 0, i32 14
  %30 = load i64, ptr %29, align 8
  %31 = icmp eq i64 %27, %30
  br i1 %31, label %44, label %32

32:                                               ; preds = %25
  %33 = load ptr, ptr %9, align 8
  %34 = getelementptr inbounds %struct.code, ptr %33, i32 0, i32 15
  %35 = load ptr, ptr %34, align 8
  %36 = load i32, ptr %15, align 4
  %37 = sext i32 %36 to i64
  %38 = getelementptr inbounds %struct.tensor_map, ptr %35, i64 %37
  %39 = getelementptr inbounds %struct.tensor_map, ptr %38, i32 0, i32 0
  %40 = load i64, ptr %39, align 8
  %41 = load i32, ptr %14, align 4
  %42 = sext i32 %41 to i64
  %43 = icmp ne i64 %40, %42
  br i1 %43, label %44, label %56

44:                                               ; preds = %32, %25
  %45 = load ptr, ptr %10, align 8
  %46 = load i32, ptr %14, align 4
  %47 = add nsw i32 %46, 1
  store i32 %47, ptr %14, align 4
  %48 = sext i32 %46 to i64
  %49 = getelementptr inbounds i64, ptr %45, i64 %48
  %50 = load ptr, ptr %12, align 8
  %51 = load ptr, ptr %13, align 8
  %52 = load i32, ptr %51, align 4
  %53 = add nsw i32 %52, 1
  store i32 %53, ptr %51, align 4
  %54 = sext i32 %52 to i64
  %55 = getelementptr inbounds ptr, ptr %50, i64 %54
  store ptr %49, ptr %55, align 8
  br label %18, !llvm.loop !25

56:                                               ; preds = %32
  %57 = load ptr, ptr %8, align 8
  %58 = load ptr, ptr %9, align 8
  %59 = getelementptr inbounds %struct.code, ptr %58, i32 0, i32 15
  %60 = load ptr, ptr %59, align 8
  %61 = load i32, ptr %15, align 4
  %62 = sext i32 %61 to i64
  %63 = getelementptr inbounds %struct.tensor_map, ptr %60, i64 %62
  %64 = load ptr, ptr %10, align 8
  %65 = load i32, ptr %14, align 4
  %66 = sext i32 %65 to i64
  %67 = getelementptr inbounds i64, ptr %64, i64 %66
  %68 = load ptr, ptr %11, align 8
  %69 = load i32, ptr %15, align 4
  %70 = sext i32 %69 to i64
  %71 = getelementptr inbounds %struct.encoded, ptr %68, i64 %70
  %72 = getelementptr inbounds %struct.encoded, ptr %71, i32 0, i32 0
  %73 = getelementptr inbounds [128 x i8], ptr %72, i64 0, i64 0
  %74 = call i32 @encode(ptr noundef %57, ptr noundef %63, ptr noundef %67, ptr noundef %73)
  store i32 %74, ptr %16, align 4
  %75 = icmp ne i32 %74, 0
  br i1 %75, label %76, label %78

76:                                               ; preds = %56
  %77 = load i32, ptr %16, align 4
  store i32 %77, ptr %7, align 4
  br label %106

78:                                               ; preds = %56
  %79 = load ptr, ptr %11, align 8
  %80 = load i32, ptr %15, align 4
  %81 = sext i32 %80 to i64
  %82 = getelementptr inbounds %struct.encoded, ptr %79, i64 %81
  %83 = getelementptr inbounds %struct.encoded, ptr %82, i32 0, i32 0
  %84 = getelementptr inbounds [128 x i8], ptr %83, i64 0, i64 0
  %85 = load ptr, ptr %12, align 8
  %86 = load ptr, ptr %13, align 8
  %87 = load i32, ptr %86, align 4
  %88 = add nsw i32 %87, 1
  store i32 %88, ptr %86, align 4
  %89 = sext i32 %87 to i64
  %90 = getelementptr inbounds ptr, ptr %85, i64 %89
  store ptr %84, ptr %90, align 8
  %91 = load ptr, ptr %9, align 8
  %92 = getelementptr inbounds %struct.code, ptr %91, i32 0, i32 15
  %93 = load ptr, ptr %92, align 8
  %94 = load i32, ptr %15, align 4
  %95 = add nsw i32 %94, 1
  store i32 %95, ptr %15, align 4
  %96 = sext i32 %94 to i64
  %97 = getelementptr inbounds %struct.tensor_map, ptr %93, i64 %96
  %98 = getelementptr inbounds %struct.tensor_map, ptr %97, i32 0, i32 1
  %99 = load i64, ptr %98, align 8
  %100 = trunc i64 %99 to i32
  %101 = mul nsw i32 2, %100
  %102 = add nsw i32 %101, 2
  %103 = load i32, ptr %14, align 4
  %104 = add nsw i32 %103, %102
  store i32 %104, ptr %14, align 4
  br label %18, !llvm.loop !25

105:                                              ; preds = %18
  store i32 0, ptr %7, align 4
  br label %106

106:                                              ; preds = %105, %76
  %107 = load i32, ptr %7, align 4
  ret i32 %107
}

; Function Attrs: nounwind uwtable
define internal i32 @launch_attributes(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) #0 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca [3 x %struct.attribute], align 4
  %11 = alloca %struct.launch_config, align 8
  %12 = alloca ptr, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store ptr %2, ptr %7, align 8
  store ptr %3, ptr %8, align 8
  %13 = load ptr, ptr %5, align 8
  %14 = getelementptr inbounds %struct.bound, ptr %13, i32 0, i32 5
  %15 = load ptr, ptr %14, align 8
  store ptr %15, ptr %9, align 8
  %16 = getelementptr inbounds [3 x %struct.attribute], ptr %10, i64 0, i64 0
  call void @llvm.memset.p0.i64(ptr align 4 %16, i8 0, i64 216, i1 false)
  call void @llvm.memset.p0.i64(ptr align 8 %11, i8 0, i64 56, i1 false)
  %17 = load ptr, ptr %7, align 8
  %18 = getelementptr inbounds i32, ptr %17, i64 0
  %19 = load i32, ptr %18, align 4
  %20 = load ptr, ptr %9, align 8
  %21 = getelementptr inbounds %struct.code, ptr %20, i32 0, i32 7
  %22 = load i64, ptr %21, align 8
  %23 = trunc i64 %22 to i32
  %24 = mul i32 %19, %23
  %25 = getelementptr inbounds %struct.launch_config, ptr %11, i32 0, i32 0
  %26 = getelementptr inbounds [3 x i32], ptr %25, i64 0, i64 0
  store i32 %24, ptr %26, align 8
  %27 = load ptr, ptr %7, align 8
  %28 = getelementptr inbounds i32, ptr %27, i64 1
  %29 = load i32, ptr %28, align 4
  %30 = getelementptr inbounds %struct.launch_config, ptr %11, i32 0, i32 0
  %31 = getelementptr inbounds [3 x i32], ptr %30, i64 0, i64 1
  store i32 %29, ptr %31, align 4
  %32 = load ptr, ptr %7, align 8
  %33 = getelementptr inbounds i32, ptr %32, i64 2
  %34 = load i32, ptr %33, align 4
  %35 = getelementptr inbounds %struct.launch_config, ptr %11, i32 0, i32 0
  %36 = getelementptr inbounds [3 x i32], ptr %35, i64 0, i64 2
  store i32 %34, ptr %36, align 8
  %37 = load ptr, ptr %9, align 8
  %38 = getelementptr inbounds %struct.code, ptr %37, i32 0, i32 6
  %39 = load i64, ptr %38, align 8
  %40 = trunc i64 %39 to i32
  %41 = getelementptr inbounds %struct.launch_config, ptr %11, i32 0, i32 1
  %42 = getelementptr inbounds [3 x i32], ptr %41, i64 0, i64 0
  store i32 %40, ptr %42, align 4
  %43 = getelementptr inbounds %struct.launch_config, ptr %11, i32 0, i32 1
  %44 = getelementptr inbounds [3 x i32], ptr %43, i64 0, i64 2
  store i32 1, ptr %44, align 4
  %45 = getelementptr inbounds %struct.launch_config, ptr %11, i32 0, i32 1
  %46 = getelementptr inbounds [3 x i32], ptr %45, i64 0, i64 1
  store i32 1, ptr %46, align 4
  %47 = load ptr, ptr %9, align 8
  %48 = getelementptr inbounds %struct.code, ptr %47, i32 0, i32 8
  %49 = load i64, ptr %48, align 8
  %50 = trunc i64 %49 to i32
  %51 = getelementptr inbounds %struct.launch_config, ptr %11, i32 0, i32 2
  store i32 %50, ptr %51, align 8
  %52 = load ptr, ptr %6, align 8
  %53 = getelementptr inbounds %struct.launch_config, ptr %11, i32 0, i32 3
  store ptr %52, ptr %53, align 8
  %54 = getelementptr inbounds [3 x %struct.attribute], ptr %10, i64 0, i64 0
  %55 = getelementptr inbounds %struct.launch_config, ptr %11, i32 0, i32 4
  store ptr %54, ptr %55, align 8
  %56 = load ptr, ptr %9, align 8
  %57 = getelementptr inbounds %struct.code, ptr %56, i32 0, i32 7
  %58 = load i64, ptr %57, align 8
  %59 = icmp sgt i64 %58, 1
  br i1 %59, label %60, label %81

60:                                               ; preds = %4
  %61 = getelementptr inbounds %struct.launch_config, ptr %11, i32 0, i32 5
  %62 = load i32, ptr %61, align 8
  %63 = add i32 %62, 1
  store i32 %63, ptr %61, align 8
  %64 = zext i32 %62 to i64
  %65 = getelementptr inbounds [3 x %struct.attribute], ptr %10, i64 0, i64 %64
  store ptr %65, ptr %12, align 8
  %66 = load ptr, ptr %12, align 8
  %67 = getelementptr inbounds %struct.attribute, ptr %66, i32 0, i32 0
  store i32 4, ptr %67, align 4
  %68 = load ptr, ptr %9, align 8
  %69 = getelementptr inbounds %struct.code, ptr %68, i32 0, i32 7
  %70 = load i64, ptr %69, align 8
  %71 = trunc i64 %70 to i32
  %72 = load ptr, ptr %12, align 8
  %73 = getelementptr inbounds %struct.attribute, ptr %72, i32 0, i32 2
  %74 = getelementptr inbounds [16 x i32], ptr %73, i64 0, i64 0
  store i32 %71, ptr %74, align 4
  %75 = load ptr, ptr %12, align 8
  %76 = getelementptr inbounds %struct.attribute, ptr %75, i32 0, i32 2
  %77 = getelementptr inbounds [16 x i32], ptr %76, i64 0, i64 2
  store i32 1, ptr %77, align 4
  %78 = load ptr, ptr %12, align 8
  %79 = getelementptr inbounds %struct.attribute, ptr %78, i32 0, i32 2
  %80 = getelementptr inbounds [16 x i32], ptr %79, i64 0, i64 1
  store i32 1, ptr %80, align 4
  br label %81

81:                                               ; preds = %60, %4
  %82 = load ptr, ptr %9, align 8
  %83 = getelementptr inbounds %struct.code, ptr %82, i32 0, i32 10
  %84 = load i64, ptr %83, align 8
  %85 = icmp ne i64 %84, 0
  br i1 %85, label %86, label %99

86:                                               ; preds = %81
  %87 = getelementptr inbounds %struct.launch_config, ptr %11, i32 0, i32 5
  %88 = load i32, ptr %87, align 8
  %89 = zext i32 %88 to i64
  %90 = getelementptr inbounds [3 x %struct.attribute], ptr %10, i64 0, i64 %89
  %91 = getelementptr inbounds %struct.attribute, ptr %90, i32 0, i32 0
  store i32 2, ptr %91, align 4
  %92 = getelementptr inbounds %struct.launch_config, ptr %11, i32 0, i32 5
  %93 = load i32, ptr %92, align 8
  %94 = add i32 %93, 1
  store i32 %94, ptr %92, align 8
  %95 = zext i32 %93 to i64
  %96 = getelementptr inbounds [3 x %struct.attribute], ptr %10, i64 0, i64 %95
  %97 = getelementptr inbounds %struct.attribute, ptr %96, i32 0, i32 2
  %98 = getelementptr inbounds [16 x i32], ptr %97, i64 0, i64 0
  store i32 1, ptr %98, align 4
  br label %99

99:                                               ; preds = %86, %81
  %100 = load ptr, ptr %9, align 8
  %101 = getelementptr inbounds %struct.code, ptr %100, i32 0, i32 11
  %102 = load i64, ptr %101, align 8
  %103 = icmp ne i64 %102, 0
  br i1 %103, label %104, label %117

104:                                              ; preds = %99
  %105 = getelementptr inbounds %struct.launch_config, ptr %11, i32 0, i32 5
  %106 = load i32, ptr %105, align 8
  %107 = zext i32 %106 to i64
  %108 = getelementptr inbounds [3 x %struct.attribute], ptr %10, i64 0, i64 %107
  %109 = getelementptr inbounds %struct.attribute, ptr %108, i32 0, i32 0
  store i32 6, ptr %109, align 4
  %110 = getelementptr inbounds %struct.launch_config, ptr %11, i32 0, i32 5
  %111 = load i32, ptr %110, align 8
  %112 = add i32 %111, 1
  store i32 %112, ptr %110, align 8
  %113 = zext i32 %111 to i64
  %114 = getelementptr inbounds [3 x %struct.attribute], ptr %10, i64 0, i64 %113
  %115 = getelementptr inbounds %struct.attribute, ptr %114, i32 0, i32 2
  %116 = getelementptr inbounds [16 x i32], ptr %115, i64 0, i64 0
  store i32 1, ptr %116, align 4
  br label %117

117:                                              ; preds = %104, %99
  %118 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 8), align 8
  %119 = load ptr, ptr %5, align 8
  %120 = getelementptr inbounds %struct.bound, ptr %119, i32 0, i32 1
  %121 = load ptr, ptr %120, align 8
  %122 = load ptr, ptr %8, align 8
  %123 = call i32 %118(ptr noundef %11, ptr noundef %121, ptr noundef %122, ptr noundef null)
  ret i32 %123
}

; Function Attrs: nounwind uwtable
define internal i32 @encode(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) #0 {
  %5 = alloca i32, align 4
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca [5 x i64], align 8
  %11 = alloca [5 x i64], align 8
  %12 = alloca [5 x i32], align 4
  %13 = alloca [5 x i32], align 4
  %14 = alloca i32, align 4
  %15 = alloca i32, align 4
  %16 = alloca i32, align 4
  %17 = alloca i32, align 4
  %18 = alloca i32, align 4
  store ptr %0, ptr %6, align 8
  store ptr %1, ptr %7, align 8
  store ptr %2, ptr %8, align 8
  store ptr %3, ptr %9, align 8
  %19 = load ptr, ptr %7, align 8
  %20 = getelementptr inbounds %struct.tensor_map, ptr %19, i32 0, i32 1
  %21 = load i64, ptr %20, align 8
  %22 = trunc i64 %21 to i32
  store i32 %22, ptr %16, align 4
  %23 = load ptr, ptr %8, align 8
  %24 = load i32, ptr %16, align 4
  %25 = mul nsw i32 2, %24
  %26 = add nsw i32 %25, 1
  %27 = sext i32 %26 to i64
  %28 = getelementptr inbounds i64, ptr %23, i64 %27
  %29 = load i64, ptr %28, align 8
  %30 = icmp ne i64 %29, 0
  br i1 %30, label %31, label %36

31:                                               ; preds = %4
  %32 = load ptr, ptr %7, align 8
  %33 = getelementptr inbounds %struct.tensor_map, ptr %32, i32 0, i32 2
  %34 = load i64, ptr %33, align 8
  %35 = icmp sge i64 %34, 6
  br label %36

36:                                               ; preds = %31, %4
  %37 = phi i1 [ false, %4 ], [ %35, %31 ]
  %38 = zext i1 %37 to i32
  store i32 %38, ptr %17, align 4
  %39 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 17), align 8
  %40 = icmp ne ptr %39, null
  br i1 %40, label %43, label %41

41:                                               ; preds = %36
  %42 = call i32 (i32, ptr, ...) @fail(i32 noundef 4, ptr noundef @.str.51)
  store i32 %42, ptr %5, align 4
  br label %147

43:                                               ; preds = %36
  store i32 0, ptr %14, align 4
  br label %44

44:                                               ; preds = %96, %43
  %45 = load i32, ptr %14, align 4
  %46 = load i32, ptr %16, align 4
  %47 = icmp slt i32 %45, %46
  br i1 %47, label %48, label %99

48:                                               ; preds = %44
  %49 = load i32, ptr %16, align 4
  %50 = sub nsw i32 %49, 1
  %51 = load i32, ptr %14, align 4
  %52 = sub nsw i32 %50, %51
  store i32 %52, ptr %18, align 4
  %53 = load ptr, ptr %8, align 8
  %54 = load i32, ptr %18, align 4
  %55 = add nsw i32 1, %54
  %56 = sext i32 %55 to i64
  %57 = getelementptr inbounds i64, ptr %53, i64 %56
  %58 = load i64, ptr %57, align 8
  %59 = load i32, ptr %14, align 4
  %60 = sext i32 %59 to i64
  %61 = getelementptr inbounds [5 x i64], ptr %10, i64 0, i64 %60
  store i64 %58, ptr %61, align 8
  %62 = load ptr, ptr %7, align 8
  %63 = getelementptr inbounds %struct.tensor_map, ptr %62, i32 0, i32 6
  %64 = load ptr, ptr %63, align 8
  %65 = load i32, ptr %18, align 4
  %66 = sext i32 %65 to i64
  %67 = getelementptr inbounds i64, ptr %64, i64 %66
  %68 = load i64, ptr %67, align 8
  %69 = trunc i64 %68 to i32
  %70 = load i32, ptr %14, align 4
  %71 = sext i32 %70 to i64
  %72 = getelementptr inbounds [5 x i32], ptr %12, i64 0, i64 %71
  store i32 %69, ptr %72, align 4
  %73 = load i32, ptr %14, align 4
  %74 = sext i32 %73 to i64
  %75 = getelementptr inbounds [5 x i32], ptr %13, i64 0, i64 %74
  store i32 1, ptr %75, align 4
  %76 = load i32, ptr %14, align 4
  %77 = icmp sgt i32 %76, 0
  br i1 %77, label %78, label %95

78:                                               ; preds = %48
  %79 = load ptr, ptr %8, align 8
  %80 = load i32, ptr %16, align 4
  %81 = add nsw i32 1, %80
  %82 = load i32, ptr %18, align 4
  %83 = add nsw i32 %81, %82
  %84 = sext i32 %83 to i64
  %85 = getelementptr inbounds i64, ptr %79, i64 %84
  %86 = load i64, ptr %85, align 8
  %87 = load ptr, ptr %7, align 8
  %88 = getelementptr inbounds %struct.tensor_map, ptr %87, i32 0, i32 3
  %89 = load i64, ptr %88, align 8
  %90 = mul i64 %86, %89
  %91 = load i32, ptr %14, align 4
  %92 = sub nsw i32 %91, 1
  %93 = sext i32 %92 to i64
  %94 = getelementptr inbounds [5 x i64], ptr %11, i64 0, i64 %93
  store i64 %90, ptr %94, align 8
  br label %95

95:                                               ; preds = %78, %48
  br label %96

96:                                               ; preds = %95
  %97 = load i32, ptr %14, align 4
  %98 = add nsw i32 %97, 1
  store i32 %98, ptr %14, align 4
  br label %44, !llvm.loop !26

99:                                               ; preds = %44
  %100 = load ptr, ptr %7, align 8
  %101 = getelementptr inbounds %struct.tensor_map, ptr %100, i32 0, i32 5
  %102 = load i64, ptr %101, align 8
  %103 = icmp ne i64 %102, 0
  br i1 %103, label %104, label %108

104:                                              ; preds = %99
  %105 = getelementptr inbounds [5 x i64], ptr %10, i64 0, i64 0
  %106 = load i64, ptr %105, align 8
  %107 = mul i64 %106, 2
  store i64 %107, ptr %105, align 8
  br label %108

108:                                              ; preds = %104, %99
  %109 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 17), align 8
  %110 = load ptr, ptr %9, align 8
  %111 = load ptr, ptr %7, align 8
  %112 = getelementptr inbounds %struct.tensor_map, ptr %111, i32 0, i32 2
  %113 = load i64, ptr %112, align 8
  %114 = trunc i64 %113 to i32
  %115 = load i32, ptr %16, align 4
  %116 = load ptr, ptr %8, align 8
  %117 = getelementptr inbounds i64, ptr %116, i64 0
  %118 = load i64, ptr %117, align 8
  %119 = getelementptr inbounds [5 x i64], ptr %10, i64 0, i64 0
  %120 = getelementptr inbounds [5 x i64], ptr %11, i64 0, i64 0
  %121 = getelementptr inbounds [5 x i32], ptr %12, i64 0, i64 0
  %122 = getelementptr inbounds [5 x i32], ptr %13, i64 0, i64 0
  %123 = load ptr, ptr %7, align 8
  %124 = getelementptr inbounds %struct.tensor_map, ptr %123, i32 0, i32 4
  %125 = load i64, ptr %124, align 8
  %126 = trunc i64 %125 to i32
  %127 = load i32, ptr %17, align 4
  %128 = call i32 %109(ptr noundef %110, i32 noundef %114, i32 noundef %115, i64 noundef %118, ptr noundef %119, ptr noundef %120, ptr noundef %121, ptr noundef %122, i32 noundef 0, i32 noundef %126, i32 noundef 2, i32 noundef %127)
  store i32 %128, ptr %15, align 4
  %129 = load i32, ptr %15, align 4
  %130 = icmp ne i32 %129, 0
  br i1 %130, label %132, label %131

131:                                              ; preds = %108
  store i32 0, ptr %5, align 4
  br label %147

132:                                              ; preds = %108
  %133 = load ptr, ptr %6, align 8
  %134 = getelementptr inbounds %struct.PREFIX_variant, ptr %133, i32 0, i32 6
  %135 = load ptr, ptr %134, align 8
  %136 = load ptr, ptr %6, align 8
  %137 = getelementptr inbounds %struct.PREFIX_variant, ptr %136, i32 0, i32 11
  %138 = load ptr, ptr %137, align 8
  %139 = load ptr, ptr %7, align 8
  %140 = getelementptr inbounds %struct.tensor_map, ptr %139, i32 0, i32 0
  %141 = load i64, ptr %140, align 8
  %142 = getelementptr inbounds %struct.argument, ptr %138, i64 %141
  %143 = getelementptr inbounds %struct.argument, ptr %142, i32 0, i32 0
  %144 = load ptr, ptr %143, align 8
  %145 = load i32, ptr %15, align 4
  %146 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.52, ptr noundef %135, ptr noundef %144, i32 noundef %145)
  store i32 %146, ptr %5, align 4
  br label %147

147:                                              ; preds = %132, %131, %41
  %148 = load i32, ptr %5, align 4
  ret i32 %148
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #7

; Function Attrs: nounwind uwtable
define internal i32 @processors() #0 {
  %1 = alloca i32, align 4
  %2 = alloca %struct.cpu_set_t, align 8
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %6 = load atomic i32, ptr @processors.known monotonic, align 4
  store i32 %6, ptr %4, align 4
  %7 = load i32, ptr %4, align 4
  store i32 %7, ptr %3, align 4
  %8 = load i32, ptr %3, align 4
  %9 = icmp ne i32 %8, 0
  br i1 %9, label %10, label %12

10:                                               ; preds = %0
  %11 = load i32, ptr %3, align 4
  store i32 %11, ptr %1, align 4
  br label %23

12:                                               ; preds = %0
  %13 = call i32 @sched_getaffinity(i32 noundef 0, i64 noundef 128, ptr noundef %2) #12
  %14 = icmp eq i32 %13, 0
  br i1 %14, label %15, label %17

15:                                               ; preds = %12
  %16 = call i32 @__sched_cpucount(i64 noundef 128, ptr noundef %2) #12
  br label %18

17:                                               ; preds = %12
  br label %18

18:                                               ; preds = %17, %15
  %19 = phi i32 [ %16, %15 ], [ 1, %17 ]
  store i32 %19, ptr %3, align 4
  %20 = load i32, ptr %3, align 4
  store i32 %20, ptr %5, align 4
  %21 = load i32, ptr %5, align 4
  store atomic i32 %21, ptr @processors.known monotonic, align 4
  %22 = load i32, ptr %3, align 4
  store i32 %22, ptr %1, align 4
  br label %23

23:                                               ; preds = %18, %10
  %24 = load i32, ptr %1, align 4
  ret i32 %24
}

; Function Attrs: nounwind uwtable
define internal i32 @alone(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca i64, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i32, align 4
  %8 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %9 = call i64 @nanoseconds()
  store i64 %9, ptr %3, align 8
  store i64 1, ptr %4, align 8
  %10 = load ptr, ptr %2, align 8
  %11 = getelementptr inbounds %struct.job, ptr %10, i32 0, i32 0
  %12 = load ptr, ptr %11, align 8
  %13 = call i32 @scratch(ptr noundef %12, ptr noundef %5, ptr noundef %6)
  store i32 %13, ptr %7, align 4
  br label %14

14:                                               ; preds = %66, %1
  %15 = load i32, ptr %7, align 4
  %16 = icmp ne i32 %15, 0
  br i1 %16, label %25, label %17

17:                                               ; preds = %14
  %18 = load ptr, ptr %2, align 8
  %19 = getelementptr inbounds %struct.job, ptr %18, i32 0, i32 3
  %20 = load i64, ptr %19, align 8
  %21 = load ptr, ptr %2, align 8
  %22 = getelementptr inbounds %struct.job, ptr %21, i32 0, i32 4
  %23 = load i64, ptr %22, align 8
  %24 = icmp slt i64 %20, %23
  br label %25

25:                                               ; preds = %17, %14
  %26 = phi i1 [ false, %14 ], [ %24, %17 ]
  br i1 %26, label %27, label %67

27:                                               ; preds = %25
  %28 = load ptr, ptr %2, align 8
  %29 = getelementptr inbounds %struct.job, ptr %28, i32 0, i32 3
  %30 = load i64, ptr %29, align 8
  %31 = load i64, ptr %4, align 8
  %32 = add nsw i64 %30, %31
  %33 = load ptr, ptr %2, align 8
  %34 = getelementptr inbounds %struct.job, ptr %33, i32 0, i32 4
  %35 = load i64, ptr %34, align 8
  %36 = icmp slt i64 %32, %35
  br i1 %36, label %37, label %43

37:                                               ; preds = %27
  %38 = load ptr, ptr %2, align 8
  %39 = getelementptr inbounds %struct.job, ptr %38, i32 0, i32 3
  %40 = load i64, ptr %39, align 8
  %41 = load i64, ptr %4, align 8
  %42 = add nsw i64 %40, %41
  br label %47

43:                                               ; preds = %27
  %44 = load ptr, ptr %2, align 8
  %45 = getelementptr inbounds %struct.job, ptr %44, i32 0, i32 4
  %46 = load i64, ptr %45, align 8
  br label %47

47:                                               ; preds = %43, %37
  %48 = phi i64 [ %42, %37 ], [ %46, %43 ]
  store i64 %48, ptr %8, align 8
  %49 = load ptr, ptr %2, align 8
  %50 = load ptr, ptr %2, align 8
  %51 = getelementptr inbounds %struct.job, ptr %50, i32 0, i32 3
  %52 = load i64, ptr %51, align 8
  %53 = load i64, ptr %8, align 8
  %54 = load ptr, ptr %6, align 8
  %55 = call i32 @part(ptr noundef %49, i64 noundef %52, i64 noundef %53, ptr noundef %54)
  store i32 %55, ptr %7, align 4
  %56 = load i64, ptr %8, align 8
  %57 = load ptr, ptr %2, align 8
  %58 = getelementptr inbounds %struct.job, ptr %57, i32 0, i32 3
  store i64 %56, ptr %58, align 8
  %59 = load i64, ptr %4, align 8
  %60 = mul nsw i64 %59, 2
  store i64 %60, ptr %4, align 8
  %61 = call i64 @nanoseconds()
  %62 = load i64, ptr %3, align 8
  %63 = sub nsw i64 %61, %62
  %64 = icmp sgt i64 %63, 10000
  br i1 %64, label %65, label %66

65:                                               ; preds = %47
  br label %67

66:                                               ; preds = %47
  br label %14, !llvm.loop !27

67:                                               ; preds = %65, %25
  %68 = load ptr, ptr %5, align 8
  call void @free(ptr noundef %68) #12
  %69 = load i32, ptr %7, align 4
  ret i32 %69
}

; Function Attrs: nounwind uwtable
define internal void @share(ptr noundef %0, i32 noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store i32 %1, ptr %4, align 4
  %9 = call i32 @getpid() #12
  store i32 %9, ptr %5, align 4
  %10 = load i32, ptr %4, align 4
  %11 = icmp slt i32 %10, 2
  br i1 %11, label %19, label %12

12:                                               ; preds = %2
  %13 = load i32, ptr %5, align 4
  store i32 %13, ptr %6, align 4
  %14 = load i32, ptr %6, align 4
  %15 = atomicrmw xchg ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 7), i32 %14 acquire, align 4
  store i32 %15, ptr %7, align 4
  %16 = load i32, ptr %7, align 4
  %17 = load i32, ptr %5, align 4
  %18 = icmp eq i32 %16, %17
  br i1 %18, label %19, label %21

19:                                               ; preds = %12, %2
  %20 = load ptr, ptr %3, align 8
  call void @take(ptr noundef %20)
  br label %59

21:                                               ; preds = %12
  %22 = load i32, ptr %5, align 4
  call void @after_fork(i32 noundef %22)
  %23 = call i32 @pthread_mutex_lock(ptr noundef @pool) #12
  br label %24

24:                                               ; preds = %40, %21
  %25 = load i32, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 4), align 8
  %26 = load i32, ptr %4, align 4
  %27 = sub nsw i32 %26, 1
  %28 = icmp slt i32 %25, %27
  br i1 %28, label %29, label %38

29:                                               ; preds = %24
  %30 = load i32, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 4), align 8
  %31 = icmp slt i32 %30, 255
  br i1 %31, label %32, label %38

32:                                               ; preds = %29
  %33 = load i32, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 4), align 8
  %34 = sext i32 %33 to i64
  %35 = getelementptr inbounds [255 x i64], ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 3), i64 0, i64 %34
  %36 = call i32 @pthread_create(ptr noundef %35, ptr noundef null, ptr noundef @worker, ptr noundef null) #12
  %37 = icmp eq i32 %36, 0
  br label %38

38:                                               ; preds = %32, %29, %24
  %39 = phi i1 [ false, %29 ], [ false, %24 ], [ %37, %32 ]
  br i1 %39, label %40, label %43

40:                                               ; preds = %38
  %41 = load i32, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 4), align 8
  %42 = add nsw i32 %41, 1
  store i32 %42, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 4), align 8
  br label %24, !llvm.loop !28

43:                                               ; preds = %38
  %44 = load ptr, ptr %3, align 8
  store ptr %44, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 8), align 8
  %45 = load i32, ptr %4, align 4
  %46 = sub nsw i32 %45, 1
  store i32 %46, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 9), align 8
  %47 = call i32 @pthread_cond_broadcast(ptr noundef getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 1)) #12
  %48 = call i32 @pthread_mutex_unlock(ptr noundef @pool) #12
  %49 = load ptr, ptr %3, align 8
  call void @take(ptr noundef %49)
  %50 = call i32 @pthread_mutex_lock(ptr noundef @pool) #12
  store ptr null, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 8), align 8
  br label %51

51:                                               ; preds = %54, %43
  %52 = load i32, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 10), align 4
  %53 = icmp ne i32 %52, 0
  br i1 %53, label %54, label %56

54:                                               ; preds = %51
  %55 = call i32 @pthread_cond_wait(ptr noundef getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 2), ptr noundef @pool)
  br label %51, !llvm.loop !29

56:                                               ; preds = %51
  %57 = call i32 @pthread_mutex_unlock(ptr noundef @pool) #12
  store i32 0, ptr %8, align 4
  %58 = load i32, ptr %8, align 4
  store atomic i32 %58, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 7) release, align 4
  br label %59

59:                                               ; preds = %56, %19
  ret void
}

; Function Attrs: nounwind
declare i32 @sched_getaffinity(i32 noundef, i64 noundef, ptr noundef) #2

; Function Attrs: nounwind
declare i32 @__sched_cpucount(i64 noundef, ptr noundef) #2

; Function Attrs: nounwind uwtable
define internal i64 @nanoseconds() #0 {
  %1 = alloca %struct.timespec, align 8
  %2 = call i32 @clock_gettime(i32 noundef 1, ptr noundef %1) #12
  %3 = getelementptr inbounds %struct.timespec, ptr %1, i32 0, i32 0
  %4 = load i64, ptr %3, align 8
  %5 = mul nsw i64 %4, 1000000000
  %6 = getelementptr inbounds %struct.timespec, ptr %1, i32 0, i32 1
  %7 = load i64, ptr %6, align 8
  %8 = add nsw i64 %5, %7
  ret i64 %8
}

; Function Attrs: nounwind uwtable
define internal i32 @scratch(ptr noundef %0, ptr noundef %1, ptr noundef %2) #0 {
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store ptr %2, ptr %7, align 8
  %8 = load ptr, ptr %6, align 8
  store ptr null, ptr %8, align 8
  %9 = load ptr, ptr %7, align 8
  store ptr null, ptr %9, align 8
  %10 = load ptr, ptr %5, align 8
  %11 = getelementptr inbounds %struct.code, ptr %10, i32 0, i32 9
  %12 = load i64, ptr %11, align 8
  %13 = icmp ne i64 %12, 0
  br i1 %13, label %15, label %14

14:                                               ; preds = %3
  store i32 0, ptr %4, align 4
  br label %34

15:                                               ; preds = %3
  %16 = load ptr, ptr %5, align 8
  %17 = getelementptr inbounds %struct.code, ptr %16, i32 0, i32 9
  %18 = load i64, ptr %17, align 8
  %19 = add i64 %18, 64
  %20 = call noalias ptr @malloc(i64 noundef %19) #16
  %21 = load ptr, ptr %6, align 8
  store ptr %20, ptr %21, align 8
  %22 = icmp ne ptr %20, null
  br i1 %22, label %24, label %23

23:                                               ; preds = %15
  store i32 5, ptr %4, align 4
  br label %34

24:                                               ; preds = %15
  %25 = load ptr, ptr %6, align 8
  %26 = load ptr, ptr %25, align 8
  %27 = load ptr, ptr %6, align 8
  %28 = load ptr, ptr %27, align 8
  %29 = ptrtoint ptr %28 to i64
  %30 = urem i64 %29, 64
  %31 = sub i64 64, %30
  %32 = getelementptr inbounds i8, ptr %26, i64 %31
  %33 = load ptr, ptr %7, align 8
  store ptr %32, ptr %33, align 8
  store i32 0, ptr %4, align 4
  br label %34

34:                                               ; preds = %24, %23, %14
  %35 = load i32, ptr %4, align 4
  ret i32 %35
}

; Function Attrs: nounwind uwtable
define internal i32 @part(ptr noundef %0, i64 noundef %1, i64 noundef %2, ptr noundef %3) #0 {
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca ptr, align 8
  %9 = alloca [4 x i64], align 8
  store ptr %0, ptr %5, align 8
  store i64 %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  store ptr %3, ptr %8, align 8
  call void @llvm.memset.p0.i64(ptr align 8 %9, i8 0, i64 32, i1 false)
  %10 = load ptr, ptr %5, align 8
  %11 = getelementptr inbounds %struct.job, ptr %10, i32 0, i32 6
  %12 = ptrtoint ptr %11 to i64
  %13 = getelementptr inbounds [4 x i64], ptr %9, i64 0, i64 3
  store i64 %12, ptr %13, align 8
  %14 = load ptr, ptr %5, align 8
  %15 = getelementptr inbounds %struct.job, ptr %14, i32 0, i32 0
  %16 = load ptr, ptr %15, align 8
  %17 = getelementptr inbounds %struct.code, ptr %16, i32 0, i32 13
  %18 = load ptr, ptr %17, align 8
  %19 = load ptr, ptr %5, align 8
  %20 = getelementptr inbounds %struct.job, ptr %19, i32 0, i32 1
  %21 = load ptr, ptr %20, align 8
  %22 = load ptr, ptr %5, align 8
  %23 = getelementptr inbounds %struct.job, ptr %22, i32 0, i32 2
  %24 = getelementptr inbounds [5 x i64], ptr %23, i64 0, i64 0
  %25 = load i64, ptr %6, align 8
  %26 = load i64, ptr %7, align 8
  %27 = load ptr, ptr %8, align 8
  %28 = getelementptr inbounds [4 x i64], ptr %9, i64 0, i64 0
  call void %18(ptr noundef %21, ptr noundef %24, i64 noundef %25, i64 noundef %26, ptr noundef %27, ptr noundef %28)
  %29 = getelementptr inbounds [4 x i64], ptr %9, i64 0, i64 0
  %30 = load i64, ptr %29, align 8
  %31 = icmp ne i64 %30, 0
  %32 = zext i1 %31 to i64
  %33 = select i1 %31, i32 7, i32 0
  ret i32 %33
}

; Function Attrs: nounwind
declare void @free(ptr noundef) #2

; Function Attrs: nounwind
declare i32 @clock_gettime(i32 noundef, ptr noundef) #2

; Function Attrs: nounwind allocsize(0)
declare noalias ptr @malloc(i64 noundef) #8

; Function Attrs: nounwind uwtable
define internal void @take(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  store ptr %0, ptr %2, align 8
  %13 = load ptr, ptr %2, align 8
  %14 = getelementptr inbounds %struct.job, ptr %13, i32 0, i32 0
  %15 = load ptr, ptr %14, align 8
  %16 = call i32 @scratch(ptr noundef %15, ptr noundef %3, ptr noundef %4)
  store i32 %16, ptr %5, align 4
  br label %17

17:                                               ; preds = %55, %1
  %18 = load i32, ptr %5, align 4
  %19 = icmp ne i32 %18, 0
  %20 = xor i1 %19, true
  br i1 %20, label %21, label %59

21:                                               ; preds = %17
  %22 = load ptr, ptr %2, align 8
  %23 = getelementptr inbounds %struct.job, ptr %22, i32 0, i32 3
  %24 = load ptr, ptr %2, align 8
  %25 = getelementptr inbounds %struct.job, ptr %24, i32 0, i32 5
  %26 = load i64, ptr %25, align 8
  store i64 %26, ptr %7, align 8
  %27 = load i64, ptr %7, align 8
  %28 = atomicrmw add ptr %23, i64 %27 monotonic, align 8
  store i64 %28, ptr %8, align 8
  %29 = load i64, ptr %8, align 8
  store i64 %29, ptr %6, align 8
  %30 = load i64, ptr %6, align 8
  %31 = load ptr, ptr %2, align 8
  %32 = getelementptr inbounds %struct.job, ptr %31, i32 0, i32 5
  %33 = load i64, ptr %32, align 8
  %34 = add nsw i64 %30, %33
  store i64 %34, ptr %9, align 8
  %35 = load i64, ptr %6, align 8
  %36 = load ptr, ptr %2, align 8
  %37 = getelementptr inbounds %struct.job, ptr %36, i32 0, i32 4
  %38 = load i64, ptr %37, align 8
  %39 = icmp sge i64 %35, %38
  br i1 %39, label %40, label %41

40:                                               ; preds = %21
  br label %59

41:                                               ; preds = %21
  %42 = load ptr, ptr %2, align 8
  %43 = load i64, ptr %6, align 8
  %44 = load i64, ptr %9, align 8
  %45 = load ptr, ptr %2, align 8
  %46 = getelementptr inbounds %struct.job, ptr %45, i32 0, i32 4
  %47 = load i64, ptr %46, align 8
  %48 = icmp slt i64 %44, %47
  br i1 %48, label %49, label %51

49:                                               ; preds = %41
  %50 = load i64, ptr %9, align 8
  br label %55

51:                                               ; preds = %41
  %52 = load ptr, ptr %2, align 8
  %53 = getelementptr inbounds %struct.job, ptr %52, i32 0, i32 4
  %54 = load i64, ptr %53, align 8
  br label %55

55:                                               ; preds = %51, %49
  %56 = phi i64 [ %50, %49 ], [ %54, %51 ]
  %57 = load ptr, ptr %4, align 8
  %58 = call i32 @part(ptr noundef %42, i64 noundef %43, i64 noundef %56, ptr noundef %57)
  store i32 %58, ptr %5, align 4
  br label %17, !llvm.loop !30

59:                                               ; preds = %40, %17
  %60 = load ptr, ptr %3, align 8
  call void @free(ptr noundef %60) #12
  %61 = load i32, ptr %5, align 4
  %62 = icmp ne i32 %61, 0
  br i1 %62, label %63, label %77

63:                                               ; preds = %59
  %64 = load ptr, ptr %2, align 8
  %65 = getelementptr inbounds %struct.job, ptr %64, i32 0, i32 3
  %66 = load ptr, ptr %2, align 8
  %67 = getelementptr inbounds %struct.job, ptr %66, i32 0, i32 4
  %68 = load i64, ptr %67, align 8
  store i64 %68, ptr %10, align 8
  %69 = load i64, ptr %10, align 8
  store atomic i64 %69, ptr %65 monotonic, align 8
  %70 = load ptr, ptr %2, align 8
  %71 = getelementptr inbounds %struct.job, ptr %70, i32 0, i32 6
  store i32 1, ptr %11, align 4
  %72 = load i32, ptr %11, align 4
  store atomic i32 %72, ptr %71 monotonic, align 8
  %73 = load ptr, ptr %2, align 8
  %74 = getelementptr inbounds %struct.job, ptr %73, i32 0, i32 7
  %75 = load i32, ptr %5, align 4
  store i32 %75, ptr %12, align 4
  %76 = load i32, ptr %12, align 4
  store atomic i32 %76, ptr %74 monotonic, align 4
  br label %77

77:                                               ; preds = %63, %59
  ret void
}

; Function Attrs: nounwind uwtable
define internal void @after_fork(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  %3 = load i32, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 5), align 4
  %4 = load i32, ptr %2, align 4
  %5 = icmp eq i32 %3, %4
  br i1 %5, label %6, label %7

6:                                                ; preds = %1
  br label %9

7:                                                ; preds = %1
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 @pool, ptr align 8 @after_fork.mutex, i64 48, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 1), ptr align 8 @after_fork.cond, i64 48, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 2), ptr align 8 @after_fork.cond, i64 48, i1 false)
  store ptr null, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 8), align 8
  store i32 0, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 10), align 4
  store i32 0, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 9), align 8
  store i32 0, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 4), align 8
  %8 = load i32, ptr %2, align 4
  store i32 %8, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 5), align 4
  br label %9

9:                                                ; preds = %7, %6
  ret void
}

; Function Attrs: nounwind
declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) #2

; Function Attrs: nounwind uwtable
define internal ptr @worker(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %4 = call i32 @pthread_mutex_lock(ptr noundef @pool) #12
  br label %5

5:                                                ; preds = %31, %16, %1
  %6 = load i32, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 6), align 8
  %7 = icmp ne i32 %6, 0
  %8 = xor i1 %7, true
  br i1 %8, label %9, label %32

9:                                                ; preds = %5
  %10 = load ptr, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 8), align 8
  store ptr %10, ptr %3, align 8
  %11 = load ptr, ptr %3, align 8
  %12 = icmp ne ptr %11, null
  br i1 %12, label %13, label %16

13:                                               ; preds = %9
  %14 = load i32, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 9), align 8
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %16, label %18

16:                                               ; preds = %13, %9
  %17 = call i32 @pthread_cond_wait(ptr noundef getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 1), ptr noundef @pool)
  br label %5, !llvm.loop !31

18:                                               ; preds = %13
  %19 = load i32, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 9), align 8
  %20 = add nsw i32 %19, -1
  store i32 %20, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 9), align 8
  %21 = load i32, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 10), align 4
  %22 = add nsw i32 %21, 1
  store i32 %22, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 10), align 4
  %23 = call i32 @pthread_mutex_unlock(ptr noundef @pool) #12
  %24 = load ptr, ptr %3, align 8
  call void @take(ptr noundef %24)
  %25 = call i32 @pthread_mutex_lock(ptr noundef @pool) #12
  %26 = load i32, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 10), align 4
  %27 = add nsw i32 %26, -1
  store i32 %27, ptr getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 10), align 4
  %28 = icmp eq i32 %27, 0
  br i1 %28, label %29, label %31

29:                                               ; preds = %18
  %30 = call i32 @pthread_cond_signal(ptr noundef getelementptr inbounds (%struct.anon, ptr @pool, i32 0, i32 2)) #12
  br label %31

31:                                               ; preds = %29, %18
  br label %5, !llvm.loop !31

32:                                               ; preds = %5
  %33 = call i32 @pthread_mutex_unlock(ptr noundef @pool) #12
  %34 = load ptr, ptr %2, align 8
  ret ptr %34
}

declare i32 @pthread_cond_wait(ptr noundef, ptr noundef) #3

; Function Attrs: nounwind
declare i32 @pthread_cond_signal(ptr noundef) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.va_start.p0(ptr) #9

; Function Attrs: nounwind
declare i32 @vsnprintf(ptr noundef, i64 noundef, ptr noundef, ptr dead_on_return noundef) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.va_end.p0(ptr) #9

; Function Attrs: nounwind uwtable
define internal ptr @fastest(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i32, align 4
  %9 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  %10 = load ptr, ptr %3, align 8
  %11 = getelementptr inbounds %struct.call, ptr %10, i32 0, i32 0
  %12 = load ptr, ptr %11, align 8
  %13 = getelementptr inbounds %struct.group, ptr %12, i32 0, i32 5
  %14 = load ptr, ptr %13, align 8
  store ptr %14, ptr %4, align 8
  %15 = load ptr, ptr %3, align 8
  %16 = getelementptr inbounds %struct.call, ptr %15, i32 0, i32 1
  %17 = load ptr, ptr %16, align 8
  %18 = getelementptr inbounds %struct.PREFIX_place, ptr %17, i32 0, i32 0
  %19 = load i32, ptr %18, align 8
  %20 = icmp ne i32 %19, 0
  br i1 %20, label %21, label %25

21:                                               ; preds = %1
  %22 = call i32 @in_context(ptr noundef %7)
  %23 = icmp ne i32 %22, 0
  br i1 %23, label %24, label %25

24:                                               ; preds = %21
  store ptr null, ptr %2, align 8
  br label %77

25:                                               ; preds = %21, %1
  %26 = load ptr, ptr %3, align 8
  %27 = call i64 @class_of(ptr noundef %26)
  store i64 %27, ptr %6, align 8
  %28 = load ptr, ptr %4, align 8
  %29 = load i64, ptr %6, align 8
  %30 = call i32 @chosen(ptr noundef %28, i64 noundef %29, ptr noundef %5)
  store i32 %30, ptr %8, align 4
  %31 = load ptr, ptr %5, align 8
  %32 = icmp ne ptr %31, null
  br i1 %32, label %43, label %33

33:                                               ; preds = %25
  %34 = load i32, ptr %8, align 4
  %35 = icmp slt i32 %34, 0
  br i1 %35, label %43, label %36

36:                                               ; preds = %33
  %37 = load ptr, ptr %3, align 8
  %38 = call i32 @capturing(ptr noundef %37)
  %39 = icmp ne i32 %38, 0
  br i1 %39, label %43, label %40

40:                                               ; preds = %36
  %41 = call i32 @pthread_mutex_trylock(ptr noundef @fastest.measuring) #12
  %42 = icmp ne i32 %41, 0
  br i1 %42, label %43, label %45

43:                                               ; preds = %40, %36, %33, %25
  %44 = load ptr, ptr %5, align 8
  store ptr %44, ptr %2, align 8
  br label %77

45:                                               ; preds = %40
  %46 = load ptr, ptr %4, align 8
  %47 = load i64, ptr %6, align 8
  %48 = call i32 @chosen(ptr noundef %46, i64 noundef %47, ptr noundef %5)
  store i32 %48, ptr %8, align 4
  %49 = load ptr, ptr %5, align 8
  %50 = icmp ne ptr %49, null
  br i1 %50, label %74, label %51

51:                                               ; preds = %45
  %52 = load i32, ptr %8, align 4
  %53 = icmp sge i32 %52, 0
  br i1 %53, label %54, label %74

54:                                               ; preds = %51
  %55 = load ptr, ptr %3, align 8
  %56 = call ptr @measure(ptr noundef %55)
  store ptr %56, ptr %5, align 8
  %57 = icmp ne ptr %56, null
  br i1 %57, label %58, label %74

58:                                               ; preds = %54
  %59 = load i64, ptr %6, align 8
  %60 = load ptr, ptr %4, align 8
  %61 = getelementptr inbounds %struct.choices, ptr %60, i32 0, i32 0
  %62 = load i32, ptr %8, align 4
  %63 = sext i32 %62 to i64
  %64 = getelementptr inbounds [256 x %struct.anon.3], ptr %61, i64 0, i64 %63
  %65 = getelementptr inbounds %struct.anon.3, ptr %64, i32 0, i32 0
  store i64 %59, ptr %65, align 8
  %66 = load ptr, ptr %4, align 8
  %67 = getelementptr inbounds %struct.choices, ptr %66, i32 0, i32 0
  %68 = load i32, ptr %8, align 4
  %69 = sext i32 %68 to i64
  %70 = getelementptr inbounds [256 x %struct.anon.3], ptr %67, i64 0, i64 %69
  %71 = getelementptr inbounds %struct.anon.3, ptr %70, i32 0, i32 1
  %72 = load ptr, ptr %5, align 8
  store ptr %72, ptr %9, align 8
  %73 = load i64, ptr %9, align 8
  store atomic i64 %73, ptr %71 release, align 8
  br label %74

74:                                               ; preds = %58, %54, %51, %45
  %75 = call i32 @pthread_mutex_unlock(ptr noundef @fastest.measuring) #12
  %76 = load ptr, ptr %5, align 8
  store ptr %76, ptr %2, align 8
  br label %77

77:                                               ; preds = %74, %43, %24
  %78 = load ptr, ptr %2, align 8
  ret ptr %78
}

; Function Attrs: nounwind uwtable
define internal i32 @try(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %6 = load ptr, ptr %3, align 8
  %7 = load ptr, ptr %4, align 8
  %8 = call i32 @takes(ptr noundef %6, ptr noundef %7)
  store i32 %8, ptr %5, align 4
  %9 = load i32, ptr %5, align 4
  %10 = icmp ne i32 %9, 0
  br i1 %10, label %11, label %13

11:                                               ; preds = %2
  %12 = load i32, ptr %5, align 4
  br label %17

13:                                               ; preds = %2
  %14 = load ptr, ptr %3, align 8
  %15 = load ptr, ptr %4, align 8
  %16 = call i32 @run(ptr noundef %14, ptr noundef %15)
  br label %17

17:                                               ; preds = %13, %11
  %18 = phi i32 [ %12, %11 ], [ %16, %13 ]
  ret i32 %18
}

; Function Attrs: nounwind uwtable
define internal i64 @class_of(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  %8 = load ptr, ptr %2, align 8
  %9 = getelementptr inbounds %struct.call, ptr %8, i32 0, i32 0
  %10 = load ptr, ptr %9, align 8
  %11 = getelementptr inbounds %struct.group, ptr %10, i32 0, i32 4
  %12 = load ptr, ptr %11, align 8
  %13 = getelementptr inbounds ptr, ptr %12, i64 0
  %14 = load ptr, ptr %13, align 8
  store ptr %14, ptr %3, align 8
  store i64 -3750763034362895579, ptr %4, align 8
  store i64 1099511628211, ptr %5, align 8
  store ptr null, ptr %6, align 8
  %15 = load ptr, ptr %2, align 8
  %16 = getelementptr inbounds %struct.call, ptr %15, i32 0, i32 1
  %17 = load ptr, ptr %16, align 8
  %18 = getelementptr inbounds %struct.PREFIX_place, ptr %17, i32 0, i32 0
  %19 = load i32, ptr %18, align 8
  %20 = icmp ne i32 %19, 0
  br i1 %20, label %21, label %23

21:                                               ; preds = %1
  %22 = call i32 @current(ptr noundef %6)
  br label %23

23:                                               ; preds = %21, %1
  %24 = load i64, ptr %4, align 8
  %25 = load ptr, ptr %6, align 8
  %26 = ptrtoint ptr %25 to i64
  %27 = xor i64 %24, %26
  %28 = load i64, ptr %5, align 8
  %29 = mul i64 %27, %28
  store i64 %29, ptr %4, align 8
  %30 = load i64, ptr %4, align 8
  %31 = load ptr, ptr %2, align 8
  %32 = getelementptr inbounds %struct.call, ptr %31, i32 0, i32 1
  %33 = load ptr, ptr %32, align 8
  %34 = getelementptr inbounds %struct.PREFIX_place, ptr %33, i32 0, i32 0
  %35 = load i32, ptr %34, align 8
  %36 = icmp ne i32 %35, 0
  br i1 %36, label %37, label %38

37:                                               ; preds = %23
  br label %44

38:                                               ; preds = %23
  %39 = load ptr, ptr %2, align 8
  %40 = getelementptr inbounds %struct.call, ptr %39, i32 0, i32 1
  %41 = load ptr, ptr %40, align 8
  %42 = getelementptr inbounds %struct.PREFIX_place, ptr %41, i32 0, i32 2
  %43 = load i32, ptr %42, align 8
  br label %44

44:                                               ; preds = %38, %37
  %45 = phi i32 [ -1, %37 ], [ %43, %38 ]
  %46 = sext i32 %45 to i64
  %47 = xor i64 %30, %46
  %48 = load i64, ptr %5, align 8
  %49 = mul i64 %47, %48
  store i64 %49, ptr %4, align 8
  store i64 0, ptr %7, align 8
  br label %50

50:                                               ; preds = %91, %44
  %51 = load i64, ptr %7, align 8
  %52 = load ptr, ptr %2, align 8
  %53 = getelementptr inbounds %struct.call, ptr %52, i32 0, i32 0
  %54 = load ptr, ptr %53, align 8
  %55 = getelementptr inbounds %struct.group, ptr %54, i32 0, i32 2
  %56 = load i64, ptr %55, align 8
  %57 = load ptr, ptr %2, align 8
  %58 = getelementptr inbounds %struct.call, ptr %57, i32 0, i32 0
  %59 = load ptr, ptr %58, align 8
  %60 = getelementptr inbounds %struct.group, ptr %59, i32 0, i32 3
  %61 = load i64, ptr %60, align 8
  %62 = add nsw i64 %56, %61
  %63 = icmp slt i64 %51, %62
  br i1 %63, label %64, label %94

64:                                               ; preds = %50
  %65 = load i64, ptr %7, align 8
  %66 = load ptr, ptr %2, align 8
  %67 = getelementptr inbounds %struct.call, ptr %66, i32 0, i32 0
  %68 = load ptr, ptr %67, align 8
  %69 = getelementptr inbounds %struct.group, ptr %68, i32 0, i32 2
  %70 = load i64, ptr %69, align 8
  %71 = icmp sge i64 %65, %70
  br i1 %71, label %81, label %72

72:                                               ; preds = %64
  %73 = load ptr, ptr %3, align 8
  %74 = getelementptr inbounds %struct.PREFIX_variant, ptr %73, i32 0, i32 11
  %75 = load ptr, ptr %74, align 8
  %76 = load i64, ptr %7, align 8
  %77 = getelementptr inbounds %struct.argument, ptr %75, i64 %76
  %78 = getelementptr inbounds %struct.argument, ptr %77, i32 0, i32 1
  %79 = load i64, ptr %78, align 8
  %80 = icmp ne i64 %79, 0
  br i1 %80, label %90, label %81

81:                                               ; preds = %72, %64
  %82 = load i64, ptr %4, align 8
  %83 = load ptr, ptr %2, align 8
  %84 = load i64, ptr %7, align 8
  %85 = call double @value(ptr noundef %83, i64 noundef %84)
  %86 = call i64 @bucket(double noundef %85)
  %87 = xor i64 %82, %86
  %88 = load i64, ptr %5, align 8
  %89 = mul i64 %87, %88
  store i64 %89, ptr %4, align 8
  br label %90

90:                                               ; preds = %81, %72
  br label %91

91:                                               ; preds = %90
  %92 = load i64, ptr %7, align 8
  %93 = add nsw i64 %92, 1
  store i64 %93, ptr %7, align 8
  br label %50, !llvm.loop !32

94:                                               ; preds = %50
  %95 = load i64, ptr %4, align 8
  ret i64 %95
}

; Function Attrs: nounwind uwtable
define internal i32 @chosen(ptr noundef %0, i64 noundef %1, ptr noundef %2) #0 {
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca ptr, align 8
  store ptr %0, ptr %5, align 8
  store i64 %1, ptr %6, align 8
  store ptr %2, ptr %7, align 8
  store i32 0, ptr %8, align 4
  br label %11

11:                                               ; preds = %46, %3
  %12 = load i32, ptr %8, align 4
  %13 = icmp slt i32 %12, 8
  br i1 %13, label %14, label %49

14:                                               ; preds = %11
  %15 = load i64, ptr %6, align 8
  %16 = load i32, ptr %8, align 4
  %17 = sext i32 %16 to i64
  %18 = add i64 %15, %17
  %19 = urem i64 %18, 256
  %20 = trunc i64 %19 to i32
  store i32 %20, ptr %9, align 4
  %21 = load ptr, ptr %5, align 8
  %22 = getelementptr inbounds %struct.choices, ptr %21, i32 0, i32 0
  %23 = load i32, ptr %9, align 4
  %24 = sext i32 %23 to i64
  %25 = getelementptr inbounds [256 x %struct.anon.3], ptr %22, i64 0, i64 %24
  %26 = getelementptr inbounds %struct.anon.3, ptr %25, i32 0, i32 1
  %27 = load atomic i64, ptr %26 acquire, align 8
  store i64 %27, ptr %10, align 8
  %28 = load ptr, ptr %10, align 8
  %29 = load ptr, ptr %7, align 8
  store ptr %28, ptr %29, align 8
  %30 = load ptr, ptr %7, align 8
  %31 = load ptr, ptr %30, align 8
  %32 = icmp ne ptr %31, null
  br i1 %32, label %33, label %43

33:                                               ; preds = %14
  %34 = load ptr, ptr %5, align 8
  %35 = getelementptr inbounds %struct.choices, ptr %34, i32 0, i32 0
  %36 = load i32, ptr %9, align 4
  %37 = sext i32 %36 to i64
  %38 = getelementptr inbounds [256 x %struct.anon.3], ptr %35, i64 0, i64 %37
  %39 = getelementptr inbounds %struct.anon.3, ptr %38, i32 0, i32 0
  %40 = load i64, ptr %39, align 8
  %41 = load i64, ptr %6, align 8
  %42 = icmp eq i64 %40, %41
  br i1 %42, label %43, label %45

43:                                               ; preds = %33, %14
  %44 = load i32, ptr %9, align 4
  store i32 %44, ptr %4, align 4
  br label %51

45:                                               ; preds = %33
  br label %46

46:                                               ; preds = %45
  %47 = load i32, ptr %8, align 4
  %48 = add nsw i32 %47, 1
  store i32 %48, ptr %8, align 4
  br label %11, !llvm.loop !33

49:                                               ; preds = %11
  %50 = load ptr, ptr %7, align 8
  store ptr null, ptr %50, align 8
  store i32 -1, ptr %4, align 4
  br label %51

51:                                               ; preds = %49, %43
  %52 = load i32, ptr %4, align 4
  ret i32 %52
}

; Function Attrs: nounwind uwtable
define internal i32 @capturing(ptr noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store i32 0, ptr %4, align 4
  %6 = load ptr, ptr %3, align 8
  %7 = getelementptr inbounds %struct.call, ptr %6, i32 0, i32 1
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds %struct.PREFIX_place, ptr %8, i32 0, i32 0
  %10 = load i32, ptr %9, align 8
  %11 = icmp ne i32 %10, 0
  br i1 %11, label %13, label %12

12:                                               ; preds = %1
  store i32 0, ptr %2, align 4
  br label %33

13:                                               ; preds = %1
  %14 = load atomic i32, ptr @cuda acquire, align 8
  store i32 %14, ptr %5, align 4
  %15 = load i32, ptr %5, align 4
  %16 = icmp ne i32 %15, 1
  br i1 %16, label %17, label %18

17:                                               ; preds = %13
  store i32 0, ptr %2, align 4
  br label %33

18:                                               ; preds = %13
  %19 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 11), align 8
  %20 = load ptr, ptr %3, align 8
  %21 = getelementptr inbounds %struct.call, ptr %20, i32 0, i32 1
  %22 = load ptr, ptr %21, align 8
  %23 = getelementptr inbounds %struct.PREFIX_place, ptr %22, i32 0, i32 1
  %24 = load ptr, ptr %23, align 8
  %25 = call i32 %19(ptr noundef %24, ptr noundef %4)
  %26 = icmp ne i32 %25, 0
  br i1 %26, label %30, label %27

27:                                               ; preds = %18
  %28 = load i32, ptr %4, align 4
  %29 = icmp ne i32 %28, 0
  br label %30

30:                                               ; preds = %27, %18
  %31 = phi i1 [ true, %18 ], [ %29, %27 ]
  %32 = zext i1 %31 to i32
  store i32 %32, ptr %2, align 4
  br label %33

33:                                               ; preds = %30, %17, %12
  %34 = load i32, ptr %2, align 4
  ret i32 %34
}

; Function Attrs: nounwind
declare i32 @pthread_mutex_trylock(ptr noundef) #2

; Function Attrs: nounwind uwtable
define internal ptr @measure(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca double, align 8
  %6 = alloca double, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  %9 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  store ptr null, ptr %4, align 8
  store double 0.000000e+00, ptr %6, align 8
  store i64 0, ptr %8, align 8
  store i64 0, ptr %7, align 8
  br label %10

10:                                               ; preds = %42, %1
  %11 = load i64, ptr %7, align 8
  %12 = load ptr, ptr %3, align 8
  %13 = getelementptr inbounds %struct.call, ptr %12, i32 0, i32 0
  %14 = load ptr, ptr %13, align 8
  %15 = getelementptr inbounds %struct.group, ptr %14, i32 0, i32 1
  %16 = load i64, ptr %15, align 8
  %17 = icmp slt i64 %11, %16
  br i1 %17, label %18, label %45

18:                                               ; preds = %10
  %19 = load ptr, ptr %3, align 8
  %20 = load ptr, ptr %3, align 8
  %21 = getelementptr inbounds %struct.call, ptr %20, i32 0, i32 0
  %22 = load ptr, ptr %21, align 8
  %23 = getelementptr inbounds %struct.group, ptr %22, i32 0, i32 4
  %24 = load ptr, ptr %23, align 8
  %25 = load i64, ptr %7, align 8
  %26 = getelementptr inbounds ptr, ptr %24, i64 %25
  %27 = load ptr, ptr %26, align 8
  %28 = call i32 @takes(ptr noundef %19, ptr noundef %27)
  %29 = icmp eq i32 %28, 0
  br i1 %29, label %30, label %41

30:                                               ; preds = %18
  %31 = load ptr, ptr %3, align 8
  %32 = getelementptr inbounds %struct.call, ptr %31, i32 0, i32 0
  %33 = load ptr, ptr %32, align 8
  %34 = getelementptr inbounds %struct.group, ptr %33, i32 0, i32 4
  %35 = load ptr, ptr %34, align 8
  %36 = load i64, ptr %7, align 8
  %37 = getelementptr inbounds ptr, ptr %35, i64 %36
  %38 = load ptr, ptr %37, align 8
  store ptr %38, ptr %4, align 8
  %39 = load i64, ptr %8, align 8
  %40 = add nsw i64 %39, 1
  store i64 %40, ptr %8, align 8
  br label %41

41:                                               ; preds = %30, %18
  br label %42

42:                                               ; preds = %41
  %43 = load i64, ptr %7, align 8
  %44 = add nsw i64 %43, 1
  store i64 %44, ptr %7, align 8
  br label %10, !llvm.loop !34

45:                                               ; preds = %10
  %46 = load i64, ptr %8, align 8
  %47 = icmp slt i64 %46, 2
  br i1 %47, label %48, label %50

48:                                               ; preds = %45
  %49 = load ptr, ptr %4, align 8
  store ptr %49, ptr %2, align 8
  br label %107

50:                                               ; preds = %45
  store i64 0, ptr %7, align 8
  store ptr null, ptr %4, align 8
  br label %51

51:                                               ; preds = %102, %50
  %52 = load i64, ptr %7, align 8
  %53 = load ptr, ptr %3, align 8
  %54 = getelementptr inbounds %struct.call, ptr %53, i32 0, i32 0
  %55 = load ptr, ptr %54, align 8
  %56 = getelementptr inbounds %struct.group, ptr %55, i32 0, i32 1
  %57 = load i64, ptr %56, align 8
  %58 = icmp slt i64 %52, %57
  br i1 %58, label %59, label %105

59:                                               ; preds = %51
  %60 = load ptr, ptr %3, align 8
  %61 = getelementptr inbounds %struct.call, ptr %60, i32 0, i32 0
  %62 = load ptr, ptr %61, align 8
  %63 = getelementptr inbounds %struct.group, ptr %62, i32 0, i32 4
  %64 = load ptr, ptr %63, align 8
  %65 = load i64, ptr %7, align 8
  %66 = getelementptr inbounds ptr, ptr %64, i64 %65
  %67 = load ptr, ptr %66, align 8
  store ptr %67, ptr %9, align 8
  %68 = load ptr, ptr %3, align 8
  %69 = load ptr, ptr %9, align 8
  %70 = call i32 @takes(ptr noundef %68, ptr noundef %69)
  %71 = icmp ne i32 %70, 0
  br i1 %71, label %72, label %73

72:                                               ; preds = %59
  br label %102

73:                                               ; preds = %59
  %74 = load ptr, ptr %3, align 8
  %75 = getelementptr inbounds %struct.call, ptr %74, i32 0, i32 1
  %76 = load ptr, ptr %75, align 8
  %77 = getelementptr inbounds %struct.PREFIX_place, ptr %76, i32 0, i32 0
  %78 = load i32, ptr %77, align 8
  %79 = icmp ne i32 %78, 0
  br i1 %79, label %80, label %85

80:                                               ; preds = %73
  %81 = load ptr, ptr %3, align 8
  %82 = load ptr, ptr %9, align 8
  %83 = call i32 @time_cuda(ptr noundef %81, ptr noundef %82, ptr noundef %5)
  %84 = icmp ne i32 %83, 0
  br i1 %84, label %90, label %91

85:                                               ; preds = %73
  %86 = load ptr, ptr %3, align 8
  %87 = load ptr, ptr %9, align 8
  %88 = call i32 @time_host(ptr noundef %86, ptr noundef %87, ptr noundef %5)
  %89 = icmp ne i32 %88, 0
  br i1 %89, label %90, label %91

90:                                               ; preds = %85, %80
  br label %102

91:                                               ; preds = %85, %80
  %92 = load ptr, ptr %4, align 8
  %93 = icmp ne ptr %92, null
  br i1 %93, label %94, label %98

94:                                               ; preds = %91
  %95 = load double, ptr %5, align 8
  %96 = load double, ptr %6, align 8
  %97 = fcmp olt double %95, %96
  br i1 %97, label %98, label %101

98:                                               ; preds = %94, %91
  %99 = load ptr, ptr %9, align 8
  store ptr %99, ptr %4, align 8
  %100 = load double, ptr %5, align 8
  store double %100, ptr %6, align 8
  br label %101

101:                                              ; preds = %98, %94
  br label %102

102:                                              ; preds = %101, %90, %72
  %103 = load i64, ptr %7, align 8
  %104 = add nsw i64 %103, 1
  store i64 %104, ptr %7, align 8
  br label %51, !llvm.loop !35

105:                                              ; preds = %51
  %106 = load ptr, ptr %4, align 8
  store ptr %106, ptr %2, align 8
  br label %107

107:                                              ; preds = %105, %48
  %108 = load ptr, ptr %2, align 8
  ret ptr %108
}

; Function Attrs: nounwind uwtable
define internal i64 @bucket(double noundef %0) #0 {
  %2 = alloca i64, align 8
  %3 = alloca double, align 8
  %4 = alloca i64, align 8
  %5 = alloca double, align 8
  store double %0, ptr %3, align 8
  store i64 16, ptr %4, align 8
  store double 1.600000e+01, ptr %5, align 8
  %6 = load double, ptr %3, align 8
  %7 = fcmp ole double %6, 1.600000e+01
  br i1 %7, label %8, label %17

8:                                                ; preds = %1
  %9 = load double, ptr %3, align 8
  %10 = fcmp ogt double %9, 0.000000e+00
  br i1 %10, label %11, label %14

11:                                               ; preds = %8
  %12 = load double, ptr %3, align 8
  %13 = fptoui double %12 to i64
  br label %15

14:                                               ; preds = %8
  br label %15

15:                                               ; preds = %14, %11
  %16 = phi i64 [ %13, %11 ], [ 0, %14 ]
  store i64 %16, ptr %2, align 8
  br label %34

17:                                               ; preds = %1
  br label %18

18:                                               ; preds = %27, %17
  %19 = load double, ptr %5, align 8
  %20 = load double, ptr %3, align 8
  %21 = fcmp olt double %19, %20
  br i1 %21, label %22, label %25

22:                                               ; preds = %18
  %23 = load i64, ptr %4, align 8
  %24 = icmp ult i64 %23, 80
  br label %25

25:                                               ; preds = %22, %18
  %26 = phi i1 [ false, %18 ], [ %24, %22 ]
  br i1 %26, label %27, label %32

27:                                               ; preds = %25
  %28 = load double, ptr %5, align 8
  %29 = fmul double %28, 2.000000e+00
  store double %29, ptr %5, align 8
  %30 = load i64, ptr %4, align 8
  %31 = add i64 %30, 1
  store i64 %31, ptr %4, align 8
  br label %18, !llvm.loop !36

32:                                               ; preds = %25
  %33 = load i64, ptr %4, align 8
  store i64 %33, ptr %2, align 8
  br label %34

34:                                               ; preds = %32, %15
  %35 = load i64, ptr %2, align 8
  ret i64 %35
}

; Function Attrs: nounwind uwtable
define internal double @value(ptr noundef %0, i64 noundef %1) #0 {
  %3 = alloca double, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca ptr, align 8
  store ptr %0, ptr %4, align 8
  store i64 %1, ptr %5, align 8
  %7 = load ptr, ptr %4, align 8
  %8 = getelementptr inbounds %struct.call, ptr %7, i32 0, i32 0
  %9 = load ptr, ptr %8, align 8
  store ptr %9, ptr %6, align 8
  %10 = load ptr, ptr %4, align 8
  %11 = getelementptr inbounds %struct.call, ptr %10, i32 0, i32 6
  %12 = load ptr, ptr %11, align 8
  %13 = icmp ne ptr %12, null
  br i1 %13, label %14, label %21

14:                                               ; preds = %2
  %15 = load ptr, ptr %4, align 8
  %16 = getelementptr inbounds %struct.call, ptr %15, i32 0, i32 6
  %17 = load ptr, ptr %16, align 8
  %18 = load i64, ptr %5, align 8
  %19 = getelementptr inbounds double, ptr %17, i64 %18
  %20 = load double, ptr %19, align 8
  store double %20, ptr %3, align 8
  br label %60

21:                                               ; preds = %2
  %22 = load i64, ptr %5, align 8
  %23 = load ptr, ptr %6, align 8
  %24 = getelementptr inbounds %struct.group, ptr %23, i32 0, i32 2
  %25 = load i64, ptr %24, align 8
  %26 = icmp slt i64 %22, %25
  br i1 %26, label %27, label %46

27:                                               ; preds = %21
  %28 = load ptr, ptr %6, align 8
  %29 = getelementptr inbounds %struct.group, ptr %28, i32 0, i32 4
  %30 = load ptr, ptr %29, align 8
  %31 = getelementptr inbounds ptr, ptr %30, i64 0
  %32 = load ptr, ptr %31, align 8
  %33 = getelementptr inbounds %struct.PREFIX_variant, ptr %32, i32 0, i32 11
  %34 = load ptr, ptr %33, align 8
  %35 = load i64, ptr %5, align 8
  %36 = getelementptr inbounds %struct.argument, ptr %34, i64 %35
  %37 = getelementptr inbounds %struct.argument, ptr %36, i32 0, i32 3
  %38 = load i64, ptr %37, align 8
  %39 = load ptr, ptr %4, align 8
  %40 = getelementptr inbounds %struct.call, ptr %39, i32 0, i32 4
  %41 = load ptr, ptr %40, align 8
  %42 = load i64, ptr %5, align 8
  %43 = getelementptr inbounds i64, ptr %41, i64 %42
  %44 = load i64, ptr %43, align 8
  %45 = call double @number(i64 noundef %38, i64 noundef %44)
  br label %58

46:                                               ; preds = %21
  %47 = load ptr, ptr %4, align 8
  %48 = getelementptr inbounds %struct.call, ptr %47, i32 0, i32 5
  %49 = load ptr, ptr %48, align 8
  %50 = load i64, ptr %5, align 8
  %51 = load ptr, ptr %6, align 8
  %52 = getelementptr inbounds %struct.group, ptr %51, i32 0, i32 2
  %53 = load i64, ptr %52, align 8
  %54 = sub nsw i64 %50, %53
  %55 = getelementptr inbounds i64, ptr %49, i64 %54
  %56 = load i64, ptr %55, align 8
  %57 = sitofp i64 %56 to double
  br label %58

58:                                               ; preds = %46, %27
  %59 = phi double [ %45, %27 ], [ %57, %46 ]
  store double %59, ptr %3, align 8
  br label %60

60:                                               ; preds = %58, %14
  %61 = load double, ptr %3, align 8
  ret double %61
}

; Function Attrs: nounwind uwtable
define internal double @number(i64 noundef %0, i64 noundef %1) #0 {
  %3 = alloca double, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = alloca float, align 4
  %7 = alloca double, align 8
  store i64 %0, ptr %4, align 8
  store i64 %1, ptr %5, align 8
  %8 = load i64, ptr %4, align 8
  switch i64 %8, label %15 [
    i64 0, label %9
    i64 132, label %10
    i64 164, label %13
  ]

9:                                                ; preds = %2
  store double 0.000000e+00, ptr %3, align 8
  br label %36

10:                                               ; preds = %2
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %6, ptr align 8 %5, i64 4, i1 false)
  %11 = load float, ptr %6, align 4
  %12 = fpext float %11 to double
  store double %12, ptr %3, align 8
  br label %36

13:                                               ; preds = %2
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %7, ptr align 8 %5, i64 8, i1 false)
  %14 = load double, ptr %7, align 8
  store double %14, ptr %3, align 8
  br label %36

15:                                               ; preds = %2
  %16 = load i64, ptr %4, align 8
  %17 = icmp slt i64 %16, 0
  br i1 %17, label %18, label %27

18:                                               ; preds = %15
  %19 = load i64, ptr %5, align 8
  %20 = load i64, ptr %4, align 8
  %21 = add nsw i64 64, %20
  %22 = shl i64 %19, %21
  %23 = load i64, ptr %4, align 8
  %24 = add nsw i64 64, %23
  %25 = lshr i64 %22, %24
  %26 = uitofp i64 %25 to double
  store double %26, ptr %3, align 8
  br label %36

27:                                               ; preds = %15
  %28 = load i64, ptr %5, align 8
  %29 = load i64, ptr %4, align 8
  %30 = sub nsw i64 64, %29
  %31 = shl i64 %28, %30
  %32 = load i64, ptr %4, align 8
  %33 = sub nsw i64 64, %32
  %34 = ashr i64 %31, %33
  %35 = sitofp i64 %34 to double
  store double %35, ptr %3, align 8
  br label %36

36:                                               ; preds = %27, %18, %13, %10, %9
  %37 = load double, ptr %3, align 8
  ret double %37
}

; Function Attrs: nounwind uwtable
define internal i32 @takes(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  %6 = load ptr, ptr %5, align 8
  %7 = getelementptr inbounds %struct.PREFIX_variant, ptr %6, i32 0, i32 4
  %8 = load ptr, ptr %7, align 8
  %9 = icmp ne ptr %8, null
  br i1 %9, label %10, label %24

10:                                               ; preds = %2
  %11 = load ptr, ptr %5, align 8
  %12 = getelementptr inbounds %struct.PREFIX_variant, ptr %11, i32 0, i32 4
  %13 = load ptr, ptr %12, align 8
  %14 = load ptr, ptr %4, align 8
  %15 = call double @eval(ptr noundef %13, ptr noundef %14)
  %16 = fcmp oeq double %15, 0.000000e+00
  br i1 %16, label %17, label %24

17:                                               ; preds = %10
  %18 = load ptr, ptr %4, align 8
  %19 = getelementptr inbounds %struct.call, ptr %18, i32 0, i32 0
  %20 = load ptr, ptr %19, align 8
  %21 = getelementptr inbounds %struct.group, ptr %20, i32 0, i32 0
  %22 = load ptr, ptr %21, align 8
  %23 = call i32 (i32, ptr, ...) @fail(i32 noundef 2, ptr noundef @.str.57, ptr noundef %22)
  store i32 %23, ptr %3, align 4
  br label %30

24:                                               ; preds = %10, %2
  %25 = load ptr, ptr %5, align 8
  %26 = load ptr, ptr %4, align 8
  %27 = getelementptr inbounds %struct.call, ptr %26, i32 0, i32 4
  %28 = load ptr, ptr %27, align 8
  %29 = call i32 @check(ptr noundef %25, ptr noundef %28)
  store i32 %29, ptr %3, align 4
  br label %30

30:                                               ; preds = %24, %17
  %31 = load i32, ptr %3, align 4
  ret i32 %31
}

; Function Attrs: nounwind uwtable
define internal i32 @time_cuda(ptr noundef %0, ptr noundef %1, ptr noundef %2) #0 {
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca float, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca i32, align 4
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store ptr %2, ptr %7, align 8
  store ptr null, ptr %8, align 8
  store ptr null, ptr %9, align 8
  store float 0.000000e+00, ptr %10, align 4
  %14 = load ptr, ptr %5, align 8
  %15 = load ptr, ptr %6, align 8
  %16 = call i32 @run(ptr noundef %14, ptr noundef %15)
  store i32 %16, ptr %13, align 4
  %17 = load i32, ptr %13, align 4
  %18 = icmp ne i32 %17, 0
  br i1 %18, label %19, label %21

19:                                               ; preds = %3
  %20 = load i32, ptr %13, align 4
  store i32 %20, ptr %4, align 4
  br label %115

21:                                               ; preds = %3
  %22 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 12), align 8
  %23 = call i32 %22(ptr noundef %8, i32 noundef 0)
  store i32 %23, ptr %12, align 4
  %24 = icmp eq i32 %23, 0
  br i1 %24, label %25, label %38

25:                                               ; preds = %21
  %26 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 12), align 8
  %27 = call i32 %26(ptr noundef %9, i32 noundef 0)
  store i32 %27, ptr %12, align 4
  %28 = icmp eq i32 %27, 0
  br i1 %28, label %29, label %38

29:                                               ; preds = %25
  %30 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 13), align 8
  %31 = load ptr, ptr %8, align 8
  %32 = load ptr, ptr %5, align 8
  %33 = getelementptr inbounds %struct.call, ptr %32, i32 0, i32 1
  %34 = load ptr, ptr %33, align 8
  %35 = getelementptr inbounds %struct.PREFIX_place, ptr %34, i32 0, i32 1
  %36 = load ptr, ptr %35, align 8
  %37 = call i32 %30(ptr noundef %31, ptr noundef %36)
  store i32 %37, ptr %12, align 4
  br label %38

38:                                               ; preds = %29, %25, %21
  store i32 0, ptr %11, align 4
  br label %39

39:                                               ; preds = %55, %38
  %40 = load i32, ptr %11, align 4
  %41 = icmp slt i32 %40, 5
  br i1 %41, label %42, label %49

42:                                               ; preds = %39
  %43 = load i32, ptr %12, align 4
  %44 = icmp ne i32 %43, 0
  br i1 %44, label %49, label %45

45:                                               ; preds = %42
  %46 = load i32, ptr %13, align 4
  %47 = icmp ne i32 %46, 0
  %48 = xor i1 %47, true
  br label %49

49:                                               ; preds = %45, %42, %39
  %50 = phi i1 [ false, %42 ], [ false, %39 ], [ %48, %45 ]
  br i1 %50, label %51, label %58

51:                                               ; preds = %49
  %52 = load ptr, ptr %5, align 8
  %53 = load ptr, ptr %6, align 8
  %54 = call i32 @run(ptr noundef %52, ptr noundef %53)
  store i32 %54, ptr %13, align 4
  br label %55

55:                                               ; preds = %51
  %56 = load i32, ptr %11, align 4
  %57 = add nsw i32 %56, 1
  store i32 %57, ptr %11, align 4
  br label %39, !llvm.loop !37

58:                                               ; preds = %49
  %59 = load i32, ptr %12, align 4
  %60 = icmp ne i32 %59, 0
  br i1 %60, label %84, label %61

61:                                               ; preds = %58
  %62 = load i32, ptr %13, align 4
  %63 = icmp ne i32 %62, 0
  br i1 %63, label %84, label %64

64:                                               ; preds = %61
  %65 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 13), align 8
  %66 = load ptr, ptr %9, align 8
  %67 = load ptr, ptr %5, align 8
  %68 = getelementptr inbounds %struct.call, ptr %67, i32 0, i32 1
  %69 = load ptr, ptr %68, align 8
  %70 = getelementptr inbounds %struct.PREFIX_place, ptr %69, i32 0, i32 1
  %71 = load ptr, ptr %70, align 8
  %72 = call i32 %65(ptr noundef %66, ptr noundef %71)
  store i32 %72, ptr %12, align 4
  %73 = icmp eq i32 %72, 0
  br i1 %73, label %74, label %84

74:                                               ; preds = %64
  %75 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 14), align 8
  %76 = load ptr, ptr %9, align 8
  %77 = call i32 %75(ptr noundef %76)
  store i32 %77, ptr %12, align 4
  %78 = icmp eq i32 %77, 0
  br i1 %78, label %79, label %84

79:                                               ; preds = %74
  %80 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 15), align 8
  %81 = load ptr, ptr %8, align 8
  %82 = load ptr, ptr %9, align 8
  %83 = call i32 %80(ptr noundef %10, ptr noundef %81, ptr noundef %82)
  store i32 %83, ptr %12, align 4
  br label %84

84:                                               ; preds = %79, %74, %64, %61, %58
  %85 = load ptr, ptr %8, align 8
  %86 = icmp ne ptr %85, null
  br i1 %86, label %87, label %91

87:                                               ; preds = %84
  %88 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 16), align 8
  %89 = load ptr, ptr %8, align 8
  %90 = call i32 %88(ptr noundef %89)
  br label %91

91:                                               ; preds = %87, %84
  %92 = load ptr, ptr %9, align 8
  %93 = icmp ne ptr %92, null
  br i1 %93, label %94, label %98

94:                                               ; preds = %91
  %95 = load ptr, ptr getelementptr inbounds (%struct.anon.1, ptr @cuda, i32 0, i32 16), align 8
  %96 = load ptr, ptr %9, align 8
  %97 = call i32 %95(ptr noundef %96)
  br label %98

98:                                               ; preds = %94, %91
  %99 = load float, ptr %10, align 4
  %100 = fdiv float %99, 5.000000e+00
  %101 = fpext float %100 to double
  %102 = load ptr, ptr %7, align 8
  store double %101, ptr %102, align 8
  %103 = load i32, ptr %12, align 4
  %104 = icmp ne i32 %103, 0
  br i1 %104, label %105, label %111

105:                                              ; preds = %98
  %106 = load ptr, ptr %6, align 8
  %107 = getelementptr inbounds %struct.PREFIX_variant, ptr %106, i32 0, i32 6
  %108 = load ptr, ptr %107, align 8
  %109 = load i32, ptr %12, align 4
  %110 = call i32 (i32, ptr, ...) @fail(i32 noundef 6, ptr noundef @.str.58, ptr noundef %108, i32 noundef %109)
  br label %113

111:                                              ; preds = %98
  %112 = load i32, ptr %13, align 4
  br label %113

113:                                              ; preds = %111, %105
  %114 = phi i32 [ %110, %105 ], [ %112, %111 ]
  store i32 %114, ptr %4, align 4
  br label %115

115:                                              ; preds = %113, %19
  %116 = load i32, ptr %4, align 4
  ret i32 %116
}

; Function Attrs: nounwind uwtable
define internal i32 @time_host(ptr noundef %0, ptr noundef %1, ptr noundef %2) #0 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  %9 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store ptr %2, ptr %6, align 8
  store i32 0, ptr %8, align 4
  %10 = load ptr, ptr %6, align 8
  store double 1.000000e+300, ptr %10, align 8
  store i32 0, ptr %7, align 4
  br label %11

11:                                               ; preds = %39, %3
  %12 = load i32, ptr %7, align 4
  %13 = icmp slt i32 %12, 4
  br i1 %13, label %14, label %18

14:                                               ; preds = %11
  %15 = load i32, ptr %8, align 4
  %16 = icmp ne i32 %15, 0
  %17 = xor i1 %16, true
  br label %18

18:                                               ; preds = %14, %11
  %19 = phi i1 [ false, %11 ], [ %17, %14 ]
  br i1 %19, label %20, label %42

20:                                               ; preds = %18
  %21 = call i64 @nanoseconds()
  store i64 %21, ptr %9, align 8
  %22 = load ptr, ptr %4, align 8
  %23 = load ptr, ptr %5, align 8
  %24 = call i32 @run(ptr noundef %22, ptr noundef %23)
  store i32 %24, ptr %8, align 4
  %25 = call i64 @nanoseconds()
  %26 = load i64, ptr %9, align 8
  %27 = sub nsw i64 %25, %26
  %28 = sitofp i64 %27 to double
  %29 = load ptr, ptr %6, align 8
  %30 = load double, ptr %29, align 8
  %31 = fcmp olt double %28, %30
  br i1 %31, label %32, label %38

32:                                               ; preds = %20
  %33 = call i64 @nanoseconds()
  %34 = load i64, ptr %9, align 8
  %35 = sub nsw i64 %33, %34
  %36 = sitofp i64 %35 to double
  %37 = load ptr, ptr %6, align 8
  store double %36, ptr %37, align 8
  br label %38

38:                                               ; preds = %32, %20
  br label %39

39:                                               ; preds = %38
  %40 = load i32, ptr %7, align 4
  %41 = add nsw i32 %40, 1
  store i32 %41, ptr %7, align 4
  br label %11, !llvm.loop !38

42:                                               ; preds = %18
  %43 = load i32, ptr %8, align 4
  ret i32 %43
}

; Function Attrs: nounwind uwtable
define internal double @eval(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca double, align 8
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca [32 x double], align 8
  %7 = alloca double, align 8
  %8 = alloca double, align 8
  %9 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i32 0, ptr %9, align 4
  br label %10

10:                                               ; preds = %272, %2
  %11 = load i32, ptr %9, align 4
  %12 = icmp sgt i32 %11, 1
  br i1 %12, label %13, label %19

13:                                               ; preds = %10
  %14 = load i32, ptr %9, align 4
  %15 = sub nsw i32 %14, 2
  %16 = sext i32 %15 to i64
  %17 = getelementptr inbounds [32 x double], ptr %6, i64 0, i64 %16
  %18 = load double, ptr %17, align 8
  br label %20

19:                                               ; preds = %10
  br label %20

20:                                               ; preds = %19, %13
  %21 = phi double [ %18, %13 ], [ 0.000000e+00, %19 ]
  store double %21, ptr %7, align 8
  %22 = load i32, ptr %9, align 4
  %23 = icmp sgt i32 %22, 0
  br i1 %23, label %24, label %30

24:                                               ; preds = %20
  %25 = load i32, ptr %9, align 4
  %26 = sub nsw i32 %25, 1
  %27 = sext i32 %26 to i64
  %28 = getelementptr inbounds [32 x double], ptr %6, i64 0, i64 %27
  %29 = load double, ptr %28, align 8
  br label %31

30:                                               ; preds = %20
  br label %31

31:                                               ; preds = %30, %24
  %32 = phi double [ %29, %24 ], [ 0.000000e+00, %30 ]
  store double %32, ptr %8, align 8
  %33 = load ptr, ptr %4, align 8
  %34 = getelementptr inbounds %struct.step, ptr %33, i32 0, i32 0
  %35 = load i64, ptr %34, align 8
  %36 = and i64 %35, 255
  switch i64 %36, label %264 [
    i64 0, label %37
    i64 1, label %39
    i64 2, label %47
    i64 3, label %58
    i64 4, label %77
    i64 5, label %86
    i64 6, label %93
    i64 7, label %106
    i64 8, label %125
    i64 9, label %129
    i64 10, label %133
    i64 11, label %137
    i64 12, label %147
    i64 13, label %158
    i64 14, label %173
    i64 15, label %177
    i64 16, label %188
    i64 17, label %198
    i64 18, label %208
    i64 19, label %214
    i64 20, label %220
    i64 21, label %226
    i64 22, label %232
    i64 23, label %238
    i64 24, label %244
    i64 25, label %254
  ]

37:                                               ; preds = %31
  %38 = load double, ptr %8, align 8
  store double %38, ptr %3, align 8
  br label %275

39:                                               ; preds = %31
  %40 = load ptr, ptr %4, align 8
  %41 = getelementptr inbounds %struct.step, ptr %40, i32 0, i32 1
  %42 = load double, ptr %41, align 8
  %43 = load i32, ptr %9, align 4
  %44 = add nsw i32 %43, 1
  store i32 %44, ptr %9, align 4
  %45 = sext i32 %43 to i64
  %46 = getelementptr inbounds [32 x double], ptr %6, i64 0, i64 %45
  store double %42, ptr %46, align 8
  br label %272

47:                                               ; preds = %31
  %48 = load ptr, ptr %5, align 8
  %49 = load ptr, ptr %4, align 8
  %50 = getelementptr inbounds %struct.step, ptr %49, i32 0, i32 0
  %51 = load i64, ptr %50, align 8
  %52 = ashr i64 %51, 8
  %53 = call double @value(ptr noundef %48, i64 noundef %52)
  %54 = load i32, ptr %9, align 4
  %55 = add nsw i32 %54, 1
  store i32 %55, ptr %9, align 4
  %56 = sext i32 %54 to i64
  %57 = getelementptr inbounds [32 x double], ptr %6, i64 0, i64 %56
  store double %53, ptr %57, align 8
  br label %272

58:                                               ; preds = %31
  %59 = load i32, ptr %9, align 4
  %60 = sub nsw i32 %59, 3
  %61 = sext i32 %60 to i64
  %62 = getelementptr inbounds [32 x double], ptr %6, i64 0, i64 %61
  %63 = load double, ptr %62, align 8
  %64 = fcmp une double %63, 0.000000e+00
  br i1 %64, label %65, label %67

65:                                               ; preds = %58
  %66 = load double, ptr %7, align 8
  br label %69

67:                                               ; preds = %58
  %68 = load double, ptr %8, align 8
  br label %69

69:                                               ; preds = %67, %65
  %70 = phi double [ %66, %65 ], [ %68, %67 ]
  %71 = load i32, ptr %9, align 4
  %72 = sub nsw i32 %71, 3
  %73 = sext i32 %72 to i64
  %74 = getelementptr inbounds [32 x double], ptr %6, i64 0, i64 %73
  store double %70, ptr %74, align 8
  %75 = load i32, ptr %9, align 4
  %76 = sub nsw i32 %75, 2
  store i32 %76, ptr %9, align 4
  br label %272

77:                                               ; preds = %31
  %78 = load double, ptr %8, align 8
  %79 = fcmp oeq double %78, 0.000000e+00
  %80 = zext i1 %79 to i32
  %81 = sitofp i32 %80 to double
  %82 = load i32, ptr %9, align 4
  %83 = sub nsw i32 %82, 1
  %84 = sext i32 %83 to i64
  %85 = getelementptr inbounds [32 x double], ptr %6, i64 0, i64 %84
  store double %81, ptr %85, align 8
  br label %272

86:                                               ; preds = %31
  %87 = load double, ptr %8, align 8
  %88 = fneg double %87
  %89 = load i32, ptr %9, align 4
  %90 = sub nsw i32 %89, 1
  %91 = sext i32 %90 to i64
  %92 = getelementptr inbounds [32 x double], ptr %6, i64 0, i64 %91
  store double %88, ptr %92, align 8
  br label %272

93:                                               ; preds = %31
  %94 = load double, ptr %8, align 8
  %95 = fcmp ogt double %94, 0.000000e+00
  br i1 %95, label %96, label %99

96:                                               ; preds = %93
  %97 = load double, ptr %8, align 8
  %98 = call double @sqrt(double noundef %97) #12
  br label %100

99:                                               ; preds = %93
  br label %100

100:                                              ; preds = %99, %96
  %101 = phi double [ %98, %96 ], [ 0.000000e+00, %99 ]
  %102 = load i32, ptr %9, align 4
  %103 = sub nsw i32 %102, 1
  %104 = sext i32 %103 to i64
  %105 = getelementptr inbounds [32 x double], ptr %6, i64 0, i64 %104
  store double %101, ptr %105, align 8
  br label %272

106:                                              ; preds = %31
  store double 1.000000e+00, ptr %7, align 8
  br label %107

107:                                              ; preds = %116, %106
  %108 = load double, ptr %7, align 8
  %109 = load double, ptr %8, align 8
  %110 = fcmp olt double %108, %109
  br i1 %110, label %111, label %114

111:                                              ; preds = %107
  %112 = load double, ptr %7, align 8
  %113 = fcmp olt double %112, 0x4330000000000000
  br label %114

114:                                              ; preds = %111, %107
  %115 = phi i1 [ false, %107 ], [ %113, %111 ]
  br i1 %115, label %116, label %119

116:                                              ; preds = %114
  %117 = load double, ptr %7, align 8
  %118 = fmul double %117, 2.000000e+00
  store double %118, ptr %7, align 8
  br label %107, !llvm.loop !39

119:                                              ; preds = %114
  %120 = load double, ptr %7, align 8
  %121 = load i32, ptr %9, align 4
  %122 = sub nsw i32 %121, 1
  %123 = sext i32 %122 to i64
  %124 = getelementptr inbounds [32 x double], ptr %6, i64 0, i64 %123
  store double %120, ptr %124, align 8
  br label %272

125:                                              ; preds = %31
  %126 = load double, ptr %8, align 8
  %127 = load double, ptr %7, align 8
  %128 = fadd double %127, %126
  store double %128, ptr %7, align 8
  br label %265

129:                                              ; preds = %31
  %130 = load double, ptr %8, align 8
  %131 = load double, ptr %7, align 8
  %132 = fsub double %131, %130
  store double %132, ptr %7, align 8
  br label %265

133:                                              ; preds = %31
  %134 = load double, ptr %8, align 8
  %135 = load double, ptr %7, align 8
  %136 = fmul double %135, %134
  store double %136, ptr %7, align 8
  br label %265

137:                                              ; preds = %31
  %138 = load double, ptr %8, align 8
  %139 = fcmp une double %138, 0.000000e+00
  br i1 %139, label %140, label %144

140:                                              ; preds = %137
  %141 = load double, ptr %7, align 8
  %142 = load double, ptr %8, align 8
  %143 = fdiv double %141, %142
  br label %145

144:                                              ; preds = %137
  br label %145

145:                                              ; preds = %144, %140
  %146 = phi double [ %143, %140 ], [ 0.000000e+00, %144 ]
  store double %146, ptr %7, align 8
  br label %265

147:                                              ; preds = %31
  %148 = load double, ptr %8, align 8
  %149 = fcmp une double %148, 0.000000e+00
  br i1 %149, label %150, label %155

150:                                              ; preds = %147
  %151 = load double, ptr %7, align 8
  %152 = load double, ptr %8, align 8
  %153 = fdiv double %151, %152
  %154 = call double @llvm.floor.f64(double %153)
  br label %156

155:                                              ; preds = %147
  br label %156

156:                                              ; preds = %155, %150
  %157 = phi double [ %154, %150 ], [ 0.000000e+00, %155 ]
  store double %157, ptr %7, align 8
  br label %265

158:                                              ; preds = %31
  %159 = load double, ptr %8, align 8
  %160 = fcmp une double %159, 0.000000e+00
  br i1 %160, label %161, label %168

161:                                              ; preds = %158
  %162 = load double, ptr %8, align 8
  %163 = load double, ptr %7, align 8
  %164 = load double, ptr %8, align 8
  %165 = fdiv double %163, %164
  %166 = call double @llvm.floor.f64(double %165)
  %167 = fmul double %162, %166
  br label %169

168:                                              ; preds = %158
  br label %169

169:                                              ; preds = %168, %161
  %170 = phi double [ %167, %161 ], [ 0.000000e+00, %168 ]
  %171 = load double, ptr %7, align 8
  %172 = fsub double %171, %170
  store double %172, ptr %7, align 8
  br label %265

173:                                              ; preds = %31
  %174 = load double, ptr %7, align 8
  %175 = load double, ptr %8, align 8
  %176 = call double @pow(double noundef %174, double noundef %175) #12
  store double %176, ptr %7, align 8
  br label %265

177:                                              ; preds = %31
  %178 = load double, ptr %8, align 8
  %179 = fcmp une double %178, 0.000000e+00
  br i1 %179, label %180, label %185

180:                                              ; preds = %177
  %181 = load double, ptr %7, align 8
  %182 = load double, ptr %8, align 8
  %183 = fdiv double %181, %182
  %184 = call double @llvm.ceil.f64(double %183)
  br label %186

185:                                              ; preds = %177
  br label %186

186:                                              ; preds = %185, %180
  %187 = phi double [ %184, %180 ], [ 0.000000e+00, %185 ]
  store double %187, ptr %7, align 8
  br label %265

188:                                              ; preds = %31
  %189 = load double, ptr %7, align 8
  %190 = load double, ptr %8, align 8
  %191 = fcmp olt double %189, %190
  br i1 %191, label %192, label %194

192:                                              ; preds = %188
  %193 = load double, ptr %7, align 8
  br label %196

194:                                              ; preds = %188
  %195 = load double, ptr %8, align 8
  br label %196

196:                                              ; preds = %194, %192
  %197 = phi double [ %193, %192 ], [ %195, %194 ]
  store double %197, ptr %7, align 8
  br label %265

198:                                              ; preds = %31
  %199 = load double, ptr %7, align 8
  %200 = load double, ptr %8, align 8
  %201 = fcmp ogt double %199, %200
  br i1 %201, label %202, label %204

202:                                              ; preds = %198
  %203 = load double, ptr %7, align 8
  br label %206

204:                                              ; preds = %198
  %205 = load double, ptr %8, align 8
  br label %206

206:                                              ; preds = %204, %202
  %207 = phi double [ %203, %202 ], [ %205, %204 ]
  store double %207, ptr %7, align 8
  br label %265

208:                                              ; preds = %31
  %209 = load double, ptr %7, align 8
  %210 = load double, ptr %8, align 8
  %211 = fcmp oeq double %209, %210
  %212 = zext i1 %211 to i32
  %213 = sitofp i32 %212 to double
  store double %213, ptr %7, align 8
  br label %265

214:                                              ; preds = %31
  %215 = load double, ptr %7, align 8
  %216 = load double, ptr %8, align 8
  %217 = fcmp une double %215, %216
  %218 = zext i1 %217 to i32
  %219 = sitofp i32 %218 to double
  store double %219, ptr %7, align 8
  br label %265

220:                                              ; preds = %31
  %221 = load double, ptr %7, align 8
  %222 = load double, ptr %8, align 8
  %223 = fcmp olt double %221, %222
  %224 = zext i1 %223 to i32
  %225 = sitofp i32 %224 to double
  store double %225, ptr %7, align 8
  br label %265

226:                                              ; preds = %31
  %227 = load double, ptr %7, align 8
  %228 = load double, ptr %8, align 8
  %229 = fcmp ole double %227, %228
  %230 = zext i1 %229 to i32
  %231 = sitofp i32 %230 to double
  store double %231, ptr %7, align 8
  br label %265

232:                                              ; preds = %31
  %233 = load double, ptr %7, align 8
  %234 = load double, ptr %8, align 8
  %235 = fcmp ogt double %233, %234
  %236 = zext i1 %235 to i32
  %237 = sitofp i32 %236 to double
  store double %237, ptr %7, align 8
  br label %265

238:                                              ; preds = %31
  %239 = load double, ptr %7, align 8
  %240 = load double, ptr %8, align 8
  %241 = fcmp oge double %239, %240
  %242 = zext i1 %241 to i32
  %243 = sitofp i32 %242 to double
  store double %243, ptr %7, align 8
  br label %265

244:                                              ; preds = %31
  %245 = load double, ptr %7, align 8
  %246 = fcmp une double %245, 0.000000e+00
  br i1 %246, label %247, label %250

247:                                              ; preds = %244
  %248 = load double, ptr %8, align 8
  %249 = fcmp une double %248, 0.000000e+00
  br label %250

250:                                              ; preds = %247, %244
  %251 = phi i1 [ false, %244 ], [ %249, %247 ]
  %252 = zext i1 %251 to i32
  %253 = sitofp i32 %252 to double
  store double %253, ptr %7, align 8
  br label %265

254:                                              ; preds = %31
  %255 = load double, ptr %7, align 8
  %256 = fcmp une double %255, 0.000000e+00
  br i1 %256, label %260, label %257

257:                                              ; preds = %254
  %258 = load double, ptr %8, align 8
  %259 = fcmp une double %258, 0.000000e+00
  br label %260

260:                                              ; preds = %257, %254
  %261 = phi i1 [ true, %254 ], [ %259, %257 ]
  %262 = zext i1 %261 to i32
  %263 = sitofp i32 %262 to double
  store double %263, ptr %7, align 8
  br label %265

264:                                              ; preds = %31
  store double 0.000000e+00, ptr %3, align 8
  br label %275

265:                                              ; preds = %260, %250, %238, %232, %226, %220, %214, %208, %206, %196, %186, %173, %169, %156, %145, %133, %129, %125
  %266 = load double, ptr %7, align 8
  %267 = load i32, ptr %9, align 4
  %268 = add nsw i32 %267, -1
  store i32 %268, ptr %9, align 4
  %269 = sub nsw i32 %268, 1
  %270 = sext i32 %269 to i64
  %271 = getelementptr inbounds [32 x double], ptr %6, i64 0, i64 %270
  store double %266, ptr %271, align 8
  br label %272

272:                                              ; preds = %265, %119, %100, %86, %77, %69, %47, %39
  %273 = load ptr, ptr %4, align 8
  %274 = getelementptr inbounds %struct.step, ptr %273, i32 1
  store ptr %274, ptr %4, align 8
  br label %10, !llvm.loop !40

275:                                              ; preds = %264, %37
  %276 = load double, ptr %3, align 8
  ret double %276
}

; Function Attrs: nounwind
declare double @sqrt(double noundef) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.floor.f64(double) #10

; Function Attrs: nounwind
declare double @pow(double noundef, double noundef) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.ceil.f64(double) #10

; Function Attrs: nounwind uwtable
define internal i32 @run(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca [3 x i32], align 4
  %6 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %7 = load ptr, ptr %3, align 8
  %8 = load ptr, ptr %4, align 8
  %9 = getelementptr inbounds [3 x i32], ptr %5, i64 0, i64 0
  %10 = call i32 @grid_of(ptr noundef %7, ptr noundef %8, ptr noundef %9)
  store i32 %10, ptr %6, align 4
  %11 = load ptr, ptr %4, align 8
  %12 = call align 8 ptr @llvm.threadlocal.address.p0(ptr align 8 @last)
  store ptr %11, ptr %12, align 8
  %13 = load i32, ptr %6, align 4
  %14 = icmp ne i32 %13, 0
  br i1 %14, label %15, label %17

15:                                               ; preds = %2
  %16 = load i32, ptr %6, align 4
  br label %30

17:                                               ; preds = %2
  %18 = load ptr, ptr %4, align 8
  %19 = load ptr, ptr %3, align 8
  %20 = getelementptr inbounds %struct.call, ptr %19, i32 0, i32 1
  %21 = load ptr, ptr %20, align 8
  %22 = load ptr, ptr %3, align 8
  %23 = getelementptr inbounds %struct.call, ptr %22, i32 0, i32 2
  %24 = load ptr, ptr %23, align 8
  %25 = getelementptr inbounds [3 x i32], ptr %5, i64 0, i64 0
  %26 = load ptr, ptr %3, align 8
  %27 = getelementptr inbounds %struct.call, ptr %26, i32 0, i32 4
  %28 = load ptr, ptr %27, align 8
  %29 = call i32 @launch(ptr noundef %18, ptr noundef %21, ptr noundef %24, ptr noundef %25, ptr noundef %28)
  br label %30

30:                                               ; preds = %17, %15
  %31 = phi i32 [ %16, %15 ], [ %29, %17 ]
  ret i32 %31
}

; Function Attrs: nounwind uwtable
define internal i32 @grid_of(ptr noundef %0, ptr noundef %1, ptr noundef %2) #0 {
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i32, align 4
  %9 = alloca double, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store ptr %2, ptr %7, align 8
  store i32 0, ptr %8, align 4
  br label %10

10:                                               ; preds = %74, %3
  %11 = load i32, ptr %8, align 4
  %12 = icmp slt i32 %11, 3
  br i1 %12, label %13, label %77

13:                                               ; preds = %10
  %14 = load ptr, ptr %5, align 8
  %15 = getelementptr inbounds %struct.call, ptr %14, i32 0, i32 3
  %16 = load ptr, ptr %15, align 8
  %17 = icmp ne ptr %16, null
  br i1 %17, label %18, label %27

18:                                               ; preds = %13
  %19 = load ptr, ptr %5, align 8
  %20 = getelementptr inbounds %struct.call, ptr %19, i32 0, i32 3
  %21 = load ptr, ptr %20, align 8
  %22 = load i32, ptr %8, align 4
  %23 = sext i32 %22 to i64
  %24 = getelementptr inbounds i32, ptr %21, i64 %23
  %25 = load i32, ptr %24, align 4
  %26 = uitofp i32 %25 to double
  br label %54

27:                                               ; preds = %13
  %28 = load ptr, ptr %6, align 8
  %29 = getelementptr inbounds %struct.PREFIX_variant, ptr %28, i32 0, i32 5
  %30 = load ptr, ptr %29, align 8
  %31 = icmp ne ptr %30, null
  br i1 %31, label %32, label %51

32:                                               ; preds = %27
  %33 = load ptr, ptr %6, align 8
  %34 = getelementptr inbounds %struct.PREFIX_variant, ptr %33, i32 0, i32 5
  %35 = load ptr, ptr %34, align 8
  %36 = load i32, ptr %8, align 4
  %37 = sext i32 %36 to i64
  %38 = getelementptr inbounds ptr, ptr %35, i64 %37
  %39 = load ptr, ptr %38, align 8
  %40 = icmp ne ptr %39, null
  br i1 %40, label %41, label %51

41:                                               ; preds = %32
  %42 = load ptr, ptr %6, align 8
  %43 = getelementptr inbounds %struct.PREFIX_variant, ptr %42, i32 0, i32 5
  %44 = load ptr, ptr %43, align 8
  %45 = load i32, ptr %8, align 4
  %46 = sext i32 %45 to i64
  %47 = getelementptr inbounds ptr, ptr %44, i64 %46
  %48 = load ptr, ptr %47, align 8
  %49 = load ptr, ptr %5, align 8
  %50 = call double @eval(ptr noundef %48, ptr noundef %49)
  br label %52

51:                                               ; preds = %32, %27
  br label %52

52:                                               ; preds = %51, %41
  %53 = phi double [ %50, %41 ], [ 1.000000e+00, %51 ]
  br label %54

54:                                               ; preds = %52, %18
  %55 = phi double [ %26, %18 ], [ %53, %52 ]
  store double %55, ptr %9, align 8
  %56 = load double, ptr %9, align 8
  %57 = fcmp oge double %56, 0.000000e+00
  br i1 %57, label %58, label %61

58:                                               ; preds = %54
  %59 = load double, ptr %9, align 8
  %60 = fcmp ole double %59, 0x41EFFFFFFFE00000
  br i1 %60, label %67, label %61

61:                                               ; preds = %58, %54
  %62 = load ptr, ptr %6, align 8
  %63 = getelementptr inbounds %struct.PREFIX_variant, ptr %62, i32 0, i32 6
  %64 = load ptr, ptr %63, align 8
  %65 = load double, ptr %9, align 8
  %66 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.59, ptr noundef %64, double noundef %65)
  store i32 %66, ptr %4, align 4
  br label %78

67:                                               ; preds = %58
  %68 = load double, ptr %9, align 8
  %69 = fptoui double %68 to i32
  %70 = load ptr, ptr %7, align 8
  %71 = load i32, ptr %8, align 4
  %72 = sext i32 %71 to i64
  %73 = getelementptr inbounds i32, ptr %70, i64 %72
  store i32 %69, ptr %73, align 4
  br label %74

74:                                               ; preds = %67
  %75 = load i32, ptr %8, align 4
  %76 = add nsw i32 %75, 1
  store i32 %76, ptr %8, align 4
  br label %10, !llvm.loop !41

77:                                               ; preds = %10
  store i32 0, ptr %4, align 4
  br label %78

78:                                               ; preds = %77, %61
  %79 = load i32, ptr %4, align 4
  ret i32 %79
}

; Function Attrs: nounwind allocsize(0,1)
declare noalias ptr @calloc(i64 noundef, i64 noundef) #11

; Function Attrs: nounwind uwtable
define internal ptr @domain_of(ptr noundef %0, ptr noundef %1, ptr noundef %2) #0 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store ptr %2, ptr %7, align 8
  store i64 0, ptr %9, align 8
  br label %10

10:                                               ; preds = %33, %3
  %11 = load i64, ptr %9, align 8
  %12 = load ptr, ptr %5, align 8
  %13 = getelementptr inbounds %struct.domains, ptr %12, i32 0, i32 3
  %14 = load i64, ptr %13, align 8
  %15 = icmp slt i64 %11, %14
  br i1 %15, label %16, label %36

16:                                               ; preds = %10
  %17 = load ptr, ptr %5, align 8
  %18 = getelementptr inbounds %struct.domains, ptr %17, i32 0, i32 2
  %19 = load i64, ptr %9, align 8
  %20 = getelementptr inbounds [64 x ptr], ptr %18, i64 0, i64 %19
  %21 = load ptr, ptr %20, align 8
  %22 = load ptr, ptr %6, align 8
  %23 = call i32 @strcmp(ptr noundef %21, ptr noundef %22) #13
  %24 = icmp eq i32 %23, 0
  br i1 %24, label %25, label %32

25:                                               ; preds = %16
  %26 = load ptr, ptr %5, align 8
  %27 = getelementptr inbounds %struct.domains, ptr %26, i32 0, i32 1
  %28 = load i64, ptr %9, align 8
  %29 = getelementptr inbounds [64 x ptr], ptr %27, i64 0, i64 %28
  %30 = load ptr, ptr %29, align 8
  %31 = load ptr, ptr %7, align 8
  store ptr %30, ptr %31, align 8
  store ptr null, ptr %4, align 8
  br label %76

32:                                               ; preds = %16
  br label %33

33:                                               ; preds = %32
  %34 = load i64, ptr %9, align 8
  %35 = add nsw i64 %34, 1
  store i64 %35, ptr %9, align 8
  br label %10, !llvm.loop !42

36:                                               ; preds = %10
  %37 = load ptr, ptr %5, align 8
  %38 = getelementptr inbounds %struct.domains, ptr %37, i32 0, i32 3
  %39 = load i64, ptr %38, align 8
  %40 = icmp eq i64 %39, 64
  br i1 %40, label %41, label %47

41:                                               ; preds = %36
  %42 = load ptr, ptr %5, align 8
  %43 = getelementptr inbounds %struct.domains, ptr %42, i32 0, i32 0
  %44 = load ptr, ptr %43, align 8
  %45 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.75)
  %46 = call ptr @ort_text(ptr noundef %44, i32 noundef %45)
  store ptr %46, ptr %4, align 8
  br label %76

47:                                               ; preds = %36
  %48 = load ptr, ptr %5, align 8
  %49 = getelementptr inbounds %struct.domains, ptr %48, i32 0, i32 0
  %50 = load ptr, ptr %49, align 8
  %51 = getelementptr inbounds %struct.ort_api, ptr %50, i32 0, i32 2
  %52 = load ptr, ptr %51, align 8
  %53 = load ptr, ptr %6, align 8
  %54 = load ptr, ptr %7, align 8
  %55 = call ptr %52(ptr noundef %53, ptr noundef %54)
  store ptr %55, ptr %8, align 8
  %56 = icmp ne ptr %55, null
  br i1 %56, label %57, label %59

57:                                               ; preds = %47
  %58 = load ptr, ptr %8, align 8
  store ptr %58, ptr %4, align 8
  br label %76

59:                                               ; preds = %47
  %60 = load ptr, ptr %6, align 8
  %61 = load ptr, ptr %5, align 8
  %62 = getelementptr inbounds %struct.domains, ptr %61, i32 0, i32 2
  %63 = load ptr, ptr %5, align 8
  %64 = getelementptr inbounds %struct.domains, ptr %63, i32 0, i32 3
  %65 = load i64, ptr %64, align 8
  %66 = getelementptr inbounds [64 x ptr], ptr %62, i64 0, i64 %65
  store ptr %60, ptr %66, align 8
  %67 = load ptr, ptr %7, align 8
  %68 = load ptr, ptr %67, align 8
  %69 = load ptr, ptr %5, align 8
  %70 = getelementptr inbounds %struct.domains, ptr %69, i32 0, i32 1
  %71 = load ptr, ptr %5, align 8
  %72 = getelementptr inbounds %struct.domains, ptr %71, i32 0, i32 3
  %73 = load i64, ptr %72, align 8
  %74 = add nsw i64 %73, 1
  store i64 %74, ptr %72, align 8
  %75 = getelementptr inbounds [64 x ptr], ptr %70, i64 0, i64 %73
  store ptr %68, ptr %75, align 8
  store ptr null, ptr %4, align 8
  br label %76

76:                                               ; preds = %59, %57, %41, %25
  %77 = load ptr, ptr %4, align 8
  ret ptr %77
}

; Function Attrs: nounwind uwtable
define internal ptr @operator_name(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  %4 = call ptr @operator_of(ptr noundef %3)
  %5 = getelementptr inbounds %struct.operator, ptr %4, i32 0, i32 0
  %6 = load ptr, ptr %5, align 8
  ret ptr %6
}

; Function Attrs: nounwind uwtable
define internal ptr @operator_provider(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  %4 = call ptr @operator_of(ptr noundef %3)
  %5 = getelementptr inbounds %struct.operator, ptr %4, i32 0, i32 10
  %6 = load i64, ptr %5, align 8
  %7 = icmp ne i64 %6, 0
  %8 = zext i1 %7 to i64
  %9 = select i1 %7, ptr @.str.61, ptr @.str.62
  ret ptr %9
}

; Function Attrs: nounwind uwtable
define internal i32 @input_type(ptr noundef %0, i64 noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = call ptr @operator_of(ptr noundef %5)
  %7 = getelementptr inbounds %struct.operator, ptr %6, i32 0, i32 6
  %8 = load ptr, ptr %7, align 8
  %9 = load i64, ptr %4, align 8
  %10 = getelementptr inbounds %struct.tensor, ptr %8, i64 %9
  %11 = getelementptr inbounds %struct.tensor, ptr %10, i32 0, i32 1
  %12 = load i64, ptr %11, align 8
  %13 = trunc i64 %12 to i32
  ret i32 %13
}

; Function Attrs: nounwind uwtable
define internal i64 @input_count(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  %4 = call ptr @operator_of(ptr noundef %3)
  %5 = getelementptr inbounds %struct.operator, ptr %4, i32 0, i32 2
  %6 = load i64, ptr %5, align 8
  ret i64 %6
}

; Function Attrs: nounwind uwtable
define internal i32 @output_type(ptr noundef %0, i64 noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = call ptr @operator_of(ptr noundef %5)
  %7 = getelementptr inbounds %struct.operator, ptr %6, i32 0, i32 6
  %8 = load ptr, ptr %7, align 8
  %9 = load ptr, ptr %3, align 8
  %10 = call ptr @operator_of(ptr noundef %9)
  %11 = getelementptr inbounds %struct.operator, ptr %10, i32 0, i32 2
  %12 = load i64, ptr %11, align 8
  %13 = load i64, ptr %4, align 8
  %14 = add i64 %12, %13
  %15 = getelementptr inbounds %struct.tensor, ptr %8, i64 %14
  %16 = getelementptr inbounds %struct.tensor, ptr %15, i32 0, i32 1
  %17 = load i64, ptr %16, align 8
  %18 = trunc i64 %17 to i32
  ret i32 %18
}

; Function Attrs: nounwind uwtable
define internal i64 @output_count(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  %4 = call ptr @operator_of(ptr noundef %3)
  %5 = getelementptr inbounds %struct.operator, ptr %4, i32 0, i32 3
  %6 = load i64, ptr %5, align 8
  ret i64 %6
}

; Function Attrs: nounwind uwtable
define internal i32 @needed(ptr noundef %0, i64 noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = load i64, ptr %4, align 8
  ret i32 0
}

; Function Attrs: nounwind uwtable
define internal i32 @one(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  ret i32 1
}

; Function Attrs: nounwind uwtable
define internal ptr @create_kernel(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) #0 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca ptr, align 8
  %11 = alloca ptr, align 8
  %12 = alloca i64, align 8
  %13 = alloca i64, align 8
  %14 = alloca float, align 4
  %15 = alloca ptr, align 8
  %16 = alloca ptr, align 8
  store ptr %0, ptr %6, align 8
  store ptr %1, ptr %7, align 8
  store ptr %2, ptr %8, align 8
  store ptr %3, ptr %9, align 8
  %17 = load ptr, ptr %6, align 8
  %18 = call ptr @operator_of(ptr noundef %17)
  store ptr %18, ptr %10, align 8
  %19 = call noalias ptr @calloc(i64 noundef 1, i64 noundef 1040) #14
  store ptr %19, ptr %11, align 8
  %20 = load ptr, ptr %11, align 8
  %21 = icmp ne ptr %20, null
  br i1 %21, label %26, label %22

22:                                               ; preds = %4
  %23 = load ptr, ptr %7, align 8
  %24 = call i32 (i32, ptr, ...) @fail(i32 noundef 5, ptr noundef @.str.46)
  %25 = call ptr @ort_text(ptr noundef %23, i32 noundef %24)
  store ptr %25, ptr %5, align 8
  br label %124

26:                                               ; preds = %4
  %27 = load ptr, ptr %10, align 8
  %28 = load ptr, ptr %11, align 8
  %29 = getelementptr inbounds %struct.kernel, ptr %28, i32 0, i32 0
  store ptr %27, ptr %29, align 8
  %30 = load ptr, ptr %7, align 8
  %31 = load ptr, ptr %11, align 8
  %32 = getelementptr inbounds %struct.kernel, ptr %31, i32 0, i32 1
  store ptr %30, ptr %32, align 8
  store i64 0, ptr %12, align 8
  br label %33

33:                                               ; preds = %118, %26
  %34 = load i64, ptr %12, align 8
  %35 = load ptr, ptr %10, align 8
  %36 = getelementptr inbounds %struct.operator, ptr %35, i32 0, i32 4
  %37 = load i64, ptr %36, align 8
  %38 = icmp slt i64 %34, %37
  br i1 %38, label %39, label %121

39:                                               ; preds = %33
  %40 = load ptr, ptr %10, align 8
  %41 = getelementptr inbounds %struct.operator, ptr %40, i32 0, i32 7
  %42 = load ptr, ptr %41, align 8
  %43 = load i64, ptr %12, align 8
  %44 = getelementptr inbounds %struct.attribute_of, ptr %42, i64 %43
  store ptr %44, ptr %15, align 8
  %45 = load ptr, ptr %15, align 8
  %46 = getelementptr inbounds %struct.attribute_of, ptr %45, i32 0, i32 1
  %47 = load i64, ptr %46, align 8
  %48 = icmp ne i64 %47, 0
  br i1 %48, label %49, label %58

49:                                               ; preds = %39
  %50 = load ptr, ptr %7, align 8
  %51 = getelementptr inbounds %struct.ort_api, ptr %50, i32 0, i32 18
  %52 = load ptr, ptr %51, align 8
  %53 = load ptr, ptr %8, align 8
  %54 = load ptr, ptr %15, align 8
  %55 = getelementptr inbounds %struct.attribute_of, ptr %54, i32 0, i32 0
  %56 = load ptr, ptr %55, align 8
  %57 = call ptr %52(ptr noundef %53, ptr noundef %56, ptr noundef %14)
  br label %67

58:                                               ; preds = %39
  %59 = load ptr, ptr %7, align 8
  %60 = getelementptr inbounds %struct.ort_api, ptr %59, i32 0, i32 19
  %61 = load ptr, ptr %60, align 8
  %62 = load ptr, ptr %8, align 8
  %63 = load ptr, ptr %15, align 8
  %64 = getelementptr inbounds %struct.attribute_of, ptr %63, i32 0, i32 0
  %65 = load ptr, ptr %64, align 8
  %66 = call ptr %61(ptr noundef %62, ptr noundef %65, ptr noundef %13)
  br label %67

67:                                               ; preds = %58, %49
  %68 = phi ptr [ %57, %49 ], [ %66, %58 ]
  store ptr %68, ptr %16, align 8
  %69 = load ptr, ptr %16, align 8
  %70 = icmp ne ptr %69, null
  br i1 %70, label %71, label %72

71:                                               ; preds = %67
  br label %85

72:                                               ; preds = %67
  %73 = load ptr, ptr %15, align 8
  %74 = getelementptr inbounds %struct.attribute_of, ptr %73, i32 0, i32 1
  %75 = load i64, ptr %74, align 8
  %76 = icmp ne i64 %75, 0
  br i1 %76, label %77, label %80

77:                                               ; preds = %72
  %78 = load float, ptr %14, align 4
  %79 = fpext float %78 to double
  br label %83

80:                                               ; preds = %72
  %81 = load i64, ptr %13, align 8
  %82 = sitofp i64 %81 to double
  br label %83

83:                                               ; preds = %80, %77
  %84 = phi double [ %79, %77 ], [ %82, %80 ]
  br label %85

85:                                               ; preds = %83, %71
  %86 = phi double [ 0x7FF8000000000000, %71 ], [ %84, %83 ]
  %87 = load ptr, ptr %11, align 8
  %88 = getelementptr inbounds %struct.kernel, ptr %87, i32 0, i32 2
  %89 = load i64, ptr %12, align 8
  %90 = getelementptr inbounds [128 x double], ptr %88, i64 0, i64 %89
  store double %86, ptr %90, align 8
  %91 = load ptr, ptr %16, align 8
  %92 = icmp ne ptr %91, null
  br i1 %92, label %93, label %98

93:                                               ; preds = %85
  %94 = load ptr, ptr %7, align 8
  %95 = getelementptr inbounds %struct.ort_api, ptr %94, i32 0, i32 24
  %96 = load ptr, ptr %95, align 8
  %97 = load ptr, ptr %16, align 8
  call void %96(ptr noundef %97)
  br label %98

98:                                               ; preds = %93, %85
  %99 = load ptr, ptr %16, align 8
  %100 = icmp ne ptr %99, null
  br i1 %100, label %101, label %117

101:                                              ; preds = %98
  %102 = load ptr, ptr %15, align 8
  %103 = getelementptr inbounds %struct.attribute_of, ptr %102, i32 0, i32 2
  %104 = load ptr, ptr %103, align 8
  %105 = icmp ne ptr %104, null
  br i1 %105, label %117, label %106

106:                                              ; preds = %101
  %107 = load ptr, ptr %11, align 8
  call void @free(ptr noundef %107) #12
  %108 = load ptr, ptr %7, align 8
  %109 = load ptr, ptr %10, align 8
  %110 = getelementptr inbounds %struct.operator, ptr %109, i32 0, i32 0
  %111 = load ptr, ptr %110, align 8
  %112 = load ptr, ptr %15, align 8
  %113 = getelementptr inbounds %struct.attribute_of, ptr %112, i32 0, i32 0
  %114 = load ptr, ptr %113, align 8
  %115 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.63, ptr noundef %111, ptr noundef %114)
  %116 = call ptr @ort_text(ptr noundef %108, i32 noundef %115)
  store ptr %116, ptr %5, align 8
  br label %124

117:                                              ; preds = %101, %98
  br label %118

118:                                              ; preds = %117
  %119 = load i64, ptr %12, align 8
  %120 = add nsw i64 %119, 1
  store i64 %120, ptr %12, align 8
  br label %33, !llvm.loop !43

121:                                              ; preds = %33
  %122 = load ptr, ptr %11, align 8
  %123 = load ptr, ptr %9, align 8
  store ptr %122, ptr %123, align 8
  store ptr null, ptr %5, align 8
  br label %124

124:                                              ; preds = %121, %106, %22
  %125 = load ptr, ptr %5, align 8
  ret ptr %125
}

; Function Attrs: nounwind uwtable
define internal ptr @compute_kernel(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca [64 x %struct.shape], align 8
  %9 = alloca [64 x ptr], align 8
  %10 = alloca ptr, align 8
  %11 = alloca ptr, align 8
  %12 = alloca %struct.known, align 8
  %13 = alloca double, align 8
  %14 = alloca i64, align 8
  %15 = alloca i32, align 4
  %16 = alloca double, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  %17 = load ptr, ptr %4, align 8
  store ptr %17, ptr %6, align 8
  %18 = load ptr, ptr %6, align 8
  %19 = getelementptr inbounds %struct.kernel, ptr %18, i32 0, i32 0
  %20 = load ptr, ptr %19, align 8
  store ptr %20, ptr %7, align 8
  store ptr null, ptr %10, align 8
  %21 = load ptr, ptr %6, align 8
  %22 = load ptr, ptr %5, align 8
  %23 = getelementptr inbounds [64 x %struct.shape], ptr %8, i64 0, i64 0
  %24 = getelementptr inbounds [64 x ptr], ptr %9, i64 0, i64 0
  %25 = call ptr @read_inputs(ptr noundef %21, ptr noundef %22, ptr noundef %12, ptr noundef %23, ptr noundef %24)
  store ptr %25, ptr %11, align 8
  %26 = icmp ne ptr %25, null
  br i1 %26, label %27, label %29

27:                                               ; preds = %2
  %28 = load ptr, ptr %11, align 8
  store ptr %28, ptr %3, align 8
  br label %117

29:                                               ; preds = %2
  store i64 0, ptr %14, align 8
  br label %30

30:                                               ; preds = %69, %29
  %31 = load i64, ptr %14, align 8
  %32 = load ptr, ptr %7, align 8
  %33 = getelementptr inbounds %struct.operator, ptr %32, i32 0, i32 4
  %34 = load i64, ptr %33, align 8
  %35 = icmp slt i64 %31, %34
  br i1 %35, label %36, label %72

36:                                               ; preds = %30
  %37 = load ptr, ptr %6, align 8
  %38 = getelementptr inbounds %struct.kernel, ptr %37, i32 0, i32 2
  %39 = load i64, ptr %14, align 8
  %40 = getelementptr inbounds [128 x double], ptr %38, i64 0, i64 %39
  %41 = load double, ptr %40, align 8
  store double %41, ptr %16, align 8
  %42 = load double, ptr %16, align 8
  %43 = load double, ptr %16, align 8
  %44 = fcmp oeq double %42, %43
  br i1 %44, label %45, label %47

45:                                               ; preds = %36
  %46 = load double, ptr %16, align 8
  br label %56

47:                                               ; preds = %36
  %48 = load ptr, ptr %7, align 8
  %49 = getelementptr inbounds %struct.operator, ptr %48, i32 0, i32 7
  %50 = load ptr, ptr %49, align 8
  %51 = load i64, ptr %14, align 8
  %52 = getelementptr inbounds %struct.attribute_of, ptr %50, i64 %51
  %53 = getelementptr inbounds %struct.attribute_of, ptr %52, i32 0, i32 2
  %54 = load ptr, ptr %53, align 8
  %55 = call double @eval_known(ptr noundef %54, ptr noundef %12)
  br label %56

56:                                               ; preds = %47, %45
  %57 = phi double [ %46, %45 ], [ %55, %47 ]
  %58 = getelementptr inbounds %struct.known, ptr %12, i32 0, i32 0
  %59 = load ptr, ptr %7, align 8
  %60 = getelementptr inbounds %struct.operator, ptr %59, i32 0, i32 5
  %61 = load i64, ptr %60, align 8
  %62 = load ptr, ptr %7, align 8
  %63 = getelementptr inbounds %struct.operator, ptr %62, i32 0, i32 4
  %64 = load i64, ptr %63, align 8
  %65 = sub nsw i64 %61, %64
  %66 = load i64, ptr %14, align 8
  %67 = add nsw i64 %65, %66
  %68 = getelementptr inbounds [128 x double], ptr %58, i64 0, i64 %67
  store double %57, ptr %68, align 8
  br label %69

69:                                               ; preds = %56
  %70 = load i64, ptr %14, align 8
  %71 = add nsw i64 %70, 1
  store i64 %71, ptr %14, align 8
  br label %30, !llvm.loop !44

72:                                               ; preds = %30
  %73 = load ptr, ptr %6, align 8
  %74 = load ptr, ptr %5, align 8
  %75 = getelementptr inbounds [64 x ptr], ptr %9, i64 0, i64 0
  %76 = call ptr @make_outputs(ptr noundef %73, ptr noundef %74, ptr noundef %12, ptr noundef %75, ptr noundef %13)
  store ptr %76, ptr %11, align 8
  %77 = icmp ne ptr %76, null
  br i1 %77, label %78, label %80

78:                                               ; preds = %72
  %79 = load ptr, ptr %11, align 8
  store ptr %79, ptr %3, align 8
  br label %117

80:                                               ; preds = %72
  %81 = load double, ptr %13, align 8
  %82 = fcmp oeq double %81, 0.000000e+00
  br i1 %82, label %83, label %84

83:                                               ; preds = %80
  store ptr null, ptr %3, align 8
  br label %117

84:                                               ; preds = %80
  %85 = load ptr, ptr %7, align 8
  %86 = getelementptr inbounds %struct.operator, ptr %85, i32 0, i32 10
  %87 = load i64, ptr %86, align 8
  %88 = icmp ne i64 %87, 0
  br i1 %88, label %89, label %100

89:                                               ; preds = %84
  %90 = load ptr, ptr %6, align 8
  %91 = getelementptr inbounds %struct.kernel, ptr %90, i32 0, i32 1
  %92 = load ptr, ptr %91, align 8
  %93 = getelementptr inbounds %struct.ort_api, ptr %92, i32 0, i32 28
  %94 = load ptr, ptr %93, align 8
  %95 = load ptr, ptr %5, align 8
  %96 = call ptr %94(ptr noundef %95, ptr noundef %10)
  store ptr %96, ptr %11, align 8
  %97 = icmp ne ptr %96, null
  br i1 %97, label %98, label %100

98:                                               ; preds = %89
  %99 = load ptr, ptr %11, align 8
  store ptr %99, ptr %3, align 8
  br label %117

100:                                              ; preds = %89, %84
  %101 = load ptr, ptr %6, align 8
  %102 = load ptr, ptr %5, align 8
  %103 = getelementptr inbounds [64 x ptr], ptr %9, i64 0, i64 0
  %104 = load ptr, ptr %10, align 8
  %105 = call i32 @launch_operator(ptr noundef %101, ptr noundef %102, ptr noundef %12, ptr noundef %103, ptr noundef %104)
  store i32 %105, ptr %15, align 4
  %106 = load i32, ptr %15, align 4
  %107 = icmp ne i32 %106, 0
  br i1 %107, label %108, label %114

108:                                              ; preds = %100
  %109 = load ptr, ptr %6, align 8
  %110 = getelementptr inbounds %struct.kernel, ptr %109, i32 0, i32 1
  %111 = load ptr, ptr %110, align 8
  %112 = load i32, ptr %15, align 4
  %113 = call ptr @ort_text(ptr noundef %111, i32 noundef %112)
  br label %115

114:                                              ; preds = %100
  br label %115

115:                                              ; preds = %114, %108
  %116 = phi ptr [ %113, %108 ], [ null, %114 ]
  store ptr %116, ptr %3, align 8
  br label %117

117:                                              ; preds = %115, %98, %83, %78, %27
  %118 = load ptr, ptr %3, align 8
  ret ptr %118
}

; Function Attrs: nounwind uwtable
define internal ptr @infer_shapes(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca [64 x %struct.shape], align 8
  %8 = alloca [64 x i32], align 4
  %9 = alloca %struct.known, align 8
  %10 = alloca ptr, align 8
  %11 = alloca i64, align 8
  %12 = alloca ptr, align 8
  %13 = alloca ptr, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  %14 = load ptr, ptr %4, align 8
  %15 = call ptr @operator_of(ptr noundef %14)
  store ptr %15, ptr %6, align 8
  store ptr null, ptr %10, align 8
  store i64 0, ptr %11, align 8
  br label %16

16:                                               ; preds = %29, %2
  %17 = load i64, ptr %11, align 8
  %18 = load ptr, ptr %6, align 8
  %19 = getelementptr inbounds %struct.operator, ptr %18, i32 0, i32 5
  %20 = load i64, ptr %19, align 8
  %21 = icmp slt i64 %17, %20
  br i1 %21, label %22, label %32

22:                                               ; preds = %16
  %23 = getelementptr inbounds %struct.known, ptr %9, i32 0, i32 0
  %24 = load i64, ptr %11, align 8
  %25 = getelementptr inbounds [128 x double], ptr %23, i64 0, i64 %24
  store double 0x7FF8000000000000, ptr %25, align 8
  %26 = getelementptr inbounds %struct.known, ptr %9, i32 0, i32 1
  %27 = load i64, ptr %11, align 8
  %28 = getelementptr inbounds [128 x ptr], ptr %26, i64 0, i64 %27
  store ptr null, ptr %28, align 8
  br label %29

29:                                               ; preds = %22
  %30 = load i64, ptr %11, align 8
  %31 = add nsw i64 %30, 1
  store i64 %31, ptr %11, align 8
  br label %16, !llvm.loop !45

32:                                               ; preds = %16
  store i64 0, ptr %11, align 8
  br label %33

33:                                               ; preds = %83, %32
  %34 = load i64, ptr %11, align 8
  %35 = load ptr, ptr %6, align 8
  %36 = getelementptr inbounds %struct.operator, ptr %35, i32 0, i32 2
  %37 = load i64, ptr %36, align 8
  %38 = icmp slt i64 %34, %37
  br i1 %38, label %39, label %43

39:                                               ; preds = %33
  %40 = load ptr, ptr %10, align 8
  %41 = icmp ne ptr %40, null
  %42 = xor i1 %41, true
  br label %43

43:                                               ; preds = %39, %33
  %44 = phi i1 [ false, %33 ], [ %42, %39 ]
  br i1 %44, label %45, label %86

45:                                               ; preds = %43
  store ptr null, ptr %12, align 8
  %46 = load ptr, ptr @ort, align 8
  %47 = getelementptr inbounds %struct.ort_api, ptr %46, i32 0, i32 30
  %48 = load ptr, ptr %47, align 8
  %49 = load ptr, ptr %5, align 8
  %50 = load i64, ptr %11, align 8
  %51 = call ptr %48(ptr noundef %49, i64 noundef %50, ptr noundef %12)
  store ptr %51, ptr %10, align 8
  %52 = icmp ne ptr %51, null
  br i1 %52, label %62, label %53

53:                                               ; preds = %45
  %54 = load ptr, ptr @ort, align 8
  %55 = getelementptr inbounds %struct.ort_api, ptr %54, i32 0, i32 11
  %56 = load ptr, ptr %55, align 8
  %57 = load ptr, ptr %12, align 8
  %58 = load i64, ptr %11, align 8
  %59 = getelementptr inbounds [64 x i32], ptr %8, i64 0, i64 %58
  %60 = call ptr %56(ptr noundef %57, ptr noundef %59)
  store ptr %60, ptr %10, align 8
  %61 = icmp ne ptr %60, null
  br i1 %61, label %62, label %63

62:                                               ; preds = %53, %45
  br label %86

63:                                               ; preds = %53
  %64 = load ptr, ptr @ort, align 8
  %65 = load ptr, ptr %12, align 8
  %66 = load i64, ptr %11, align 8
  %67 = getelementptr inbounds [64 x %struct.shape], ptr %7, i64 0, i64 %66
  %68 = call ptr @read_shape(ptr noundef %64, ptr noundef %65, i32 noundef 1, ptr noundef %67)
  store ptr %68, ptr %10, align 8
  %69 = icmp eq ptr %68, null
  br i1 %69, label %70, label %82

70:                                               ; preds = %63
  %71 = load ptr, ptr %6, align 8
  %72 = load ptr, ptr %6, align 8
  %73 = getelementptr inbounds %struct.operator, ptr %72, i32 0, i32 6
  %74 = load ptr, ptr %73, align 8
  %75 = load i64, ptr %11, align 8
  %76 = getelementptr inbounds %struct.tensor, ptr %74, i64 %75
  %77 = load i64, ptr %11, align 8
  %78 = getelementptr inbounds [64 x %struct.shape], ptr %7, i64 0, i64 %77
  %79 = call i32 @bind_input(ptr noundef %71, ptr noundef %76, ptr noundef %78, ptr noundef %9)
  %80 = icmp ne i32 %79, 0
  br i1 %80, label %81, label %82

81:                                               ; preds = %70
  store ptr null, ptr %3, align 8
  br label %143

82:                                               ; preds = %70, %63
  br label %83

83:                                               ; preds = %82
  %84 = load i64, ptr %11, align 8
  %85 = add nsw i64 %84, 1
  store i64 %85, ptr %11, align 8
  br label %33, !llvm.loop !46

86:                                               ; preds = %62, %43
  store i64 0, ptr %11, align 8
  br label %87

87:                                               ; preds = %131, %86
  %88 = load i64, ptr %11, align 8
  %89 = load ptr, ptr %6, align 8
  %90 = getelementptr inbounds %struct.operator, ptr %89, i32 0, i32 3
  %91 = load i64, ptr %90, align 8
  %92 = icmp slt i64 %88, %91
  br i1 %92, label %93, label %97

93:                                               ; preds = %87
  %94 = load ptr, ptr %10, align 8
  %95 = icmp ne ptr %94, null
  %96 = xor i1 %95, true
  br label %97

97:                                               ; preds = %93, %87
  %98 = phi i1 [ false, %87 ], [ %96, %93 ]
  br i1 %98, label %99, label %134

99:                                               ; preds = %97
  %100 = load ptr, ptr %6, align 8
  %101 = getelementptr inbounds %struct.operator, ptr %100, i32 0, i32 6
  %102 = load ptr, ptr %101, align 8
  %103 = load ptr, ptr %6, align 8
  %104 = getelementptr inbounds %struct.operator, ptr %103, i32 0, i32 2
  %105 = load i64, ptr %104, align 8
  %106 = load i64, ptr %11, align 8
  %107 = add nsw i64 %105, %106
  %108 = getelementptr inbounds %struct.tensor, ptr %102, i64 %107
  store ptr %108, ptr %13, align 8
  %109 = load ptr, ptr %6, align 8
  %110 = load ptr, ptr %13, align 8
  %111 = load i64, ptr %11, align 8
  %112 = load ptr, ptr %13, align 8
  %113 = getelementptr inbounds %struct.tensor, ptr %112, i32 0, i32 2
  %114 = load i64, ptr %113, align 8
  %115 = icmp sge i64 %114, 0
  br i1 %115, label %116, label %122

116:                                              ; preds = %99
  %117 = load ptr, ptr %13, align 8
  %118 = getelementptr inbounds %struct.tensor, ptr %117, i32 0, i32 2
  %119 = load i64, ptr %118, align 8
  %120 = getelementptr inbounds [64 x i32], ptr %8, i64 0, i64 %119
  %121 = load i32, ptr %120, align 4
  br label %127

122:                                              ; preds = %99
  %123 = load ptr, ptr %13, align 8
  %124 = getelementptr inbounds %struct.tensor, ptr %123, i32 0, i32 1
  %125 = load i64, ptr %124, align 8
  %126 = trunc i64 %125 to i32
  br label %127

127:                                              ; preds = %122, %116
  %128 = phi i32 [ %121, %116 ], [ %126, %122 ]
  %129 = load ptr, ptr %5, align 8
  %130 = call ptr @infer_output(ptr noundef %109, ptr noundef %110, i64 noundef %111, i32 noundef %128, ptr noundef %9, ptr noundef %129)
  store ptr %130, ptr %10, align 8
  br label %131

131:                                              ; preds = %127
  %132 = load i64, ptr %11, align 8
  %133 = add nsw i64 %132, 1
  store i64 %133, ptr %11, align 8
  br label %87, !llvm.loop !47

134:                                              ; preds = %97
  %135 = load ptr, ptr %10, align 8
  %136 = icmp ne ptr %135, null
  br i1 %136, label %137, label %142

137:                                              ; preds = %134
  %138 = load ptr, ptr @ort, align 8
  %139 = getelementptr inbounds %struct.ort_api, ptr %138, i32 0, i32 24
  %140 = load ptr, ptr %139, align 8
  %141 = load ptr, ptr %10, align 8
  call void %140(ptr noundef %141)
  br label %142

142:                                              ; preds = %137, %134
  store ptr null, ptr %3, align 8
  br label %143

143:                                              ; preds = %142, %81
  %144 = load ptr, ptr %3, align 8
  ret ptr %144
}

; Function Attrs: nounwind uwtable
define internal i32 @newest(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  ret i32 2147483647
}

; Function Attrs: nounwind uwtable
define internal ptr @operator_of(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  %4 = getelementptr inbounds %struct.registered, ptr %3, i32 0, i32 1
  %5 = load ptr, ptr %4, align 8
  ret ptr %5
}

; Function Attrs: nounwind uwtable
define internal ptr @read_inputs(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4) #0 {
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca ptr, align 8
  %11 = alloca ptr, align 8
  %12 = alloca ptr, align 8
  %13 = alloca ptr, align 8
  %14 = alloca i64, align 8
  %15 = alloca ptr, align 8
  %16 = alloca ptr, align 8
  %17 = alloca ptr, align 8
  %18 = alloca i32, align 4
  store ptr %0, ptr %7, align 8
  store ptr %1, ptr %8, align 8
  store ptr %2, ptr %9, align 8
  store ptr %3, ptr %10, align 8
  store ptr %4, ptr %11, align 8
  %19 = load ptr, ptr %7, align 8
  %20 = getelementptr inbounds %struct.kernel, ptr %19, i32 0, i32 0
  %21 = load ptr, ptr %20, align 8
  store ptr %21, ptr %12, align 8
  %22 = load ptr, ptr %7, align 8
  %23 = getelementptr inbounds %struct.kernel, ptr %22, i32 0, i32 1
  %24 = load ptr, ptr %23, align 8
  store ptr %24, ptr %13, align 8
  store i64 0, ptr %14, align 8
  br label %25

25:                                               ; preds = %121, %5
  %26 = load i64, ptr %14, align 8
  %27 = load ptr, ptr %12, align 8
  %28 = getelementptr inbounds %struct.operator, ptr %27, i32 0, i32 2
  %29 = load i64, ptr %28, align 8
  %30 = icmp slt i64 %26, %29
  br i1 %30, label %31, label %124

31:                                               ; preds = %25
  store ptr null, ptr %15, align 8
  store ptr null, ptr %16, align 8
  store i32 0, ptr %18, align 4
  %32 = load ptr, ptr %13, align 8
  %33 = getelementptr inbounds %struct.ort_api, ptr %32, i32 0, i32 21
  %34 = load ptr, ptr %33, align 8
  %35 = load ptr, ptr %8, align 8
  %36 = load i64, ptr %14, align 8
  %37 = call ptr %34(ptr noundef %35, i64 noundef %36, ptr noundef %15)
  store ptr %37, ptr %17, align 8
  %38 = icmp ne ptr %37, null
  br i1 %38, label %39, label %41

39:                                               ; preds = %31
  %40 = load ptr, ptr %17, align 8
  store ptr %40, ptr %6, align 8
  br label %125

41:                                               ; preds = %31
  %42 = load ptr, ptr %15, align 8
  %43 = icmp ne ptr %42, null
  br i1 %43, label %58, label %44

44:                                               ; preds = %41
  %45 = load ptr, ptr %13, align 8
  %46 = load ptr, ptr %12, align 8
  %47 = getelementptr inbounds %struct.operator, ptr %46, i32 0, i32 0
  %48 = load ptr, ptr %47, align 8
  %49 = load ptr, ptr %12, align 8
  %50 = getelementptr inbounds %struct.operator, ptr %49, i32 0, i32 6
  %51 = load ptr, ptr %50, align 8
  %52 = load i64, ptr %14, align 8
  %53 = getelementptr inbounds %struct.tensor, ptr %51, i64 %52
  %54 = getelementptr inbounds %struct.tensor, ptr %53, i32 0, i32 0
  %55 = load ptr, ptr %54, align 8
  %56 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.64, ptr noundef %48, ptr noundef %55)
  %57 = call ptr @ort_text(ptr noundef %45, i32 noundef %56)
  store ptr %57, ptr %6, align 8
  br label %125

58:                                               ; preds = %41
  %59 = load ptr, ptr %13, align 8
  %60 = getelementptr inbounds %struct.ort_api, ptr %59, i32 0, i32 16
  %61 = load ptr, ptr %60, align 8
  %62 = load ptr, ptr %15, align 8
  %63 = call ptr %61(ptr noundef %62, ptr noundef %16)
  store ptr %63, ptr %17, align 8
  %64 = icmp eq ptr %63, null
  br i1 %64, label %65, label %95

65:                                               ; preds = %58
  %66 = load ptr, ptr %13, align 8
  %67 = load ptr, ptr %16, align 8
  %68 = load ptr, ptr %10, align 8
  %69 = load i64, ptr %14, align 8
  %70 = getelementptr inbounds %struct.shape, ptr %68, i64 %69
  %71 = call ptr @read_shape(ptr noundef %66, ptr noundef %67, i32 noundef 0, ptr noundef %70)
  store ptr %71, ptr %17, align 8
  %72 = icmp eq ptr %71, null
  br i1 %72, label %73, label %95

73:                                               ; preds = %65
  %74 = load ptr, ptr %12, align 8
  %75 = load ptr, ptr %12, align 8
  %76 = getelementptr inbounds %struct.operator, ptr %75, i32 0, i32 6
  %77 = load ptr, ptr %76, align 8
  %78 = load i64, ptr %14, align 8
  %79 = getelementptr inbounds %struct.tensor, ptr %77, i64 %78
  %80 = load ptr, ptr %10, align 8
  %81 = load i64, ptr %14, align 8
  %82 = getelementptr inbounds %struct.shape, ptr %80, i64 %81
  %83 = load ptr, ptr %9, align 8
  %84 = call i32 @bind_input(ptr noundef %74, ptr noundef %79, ptr noundef %82, ptr noundef %83)
  store i32 %84, ptr %18, align 4
  %85 = icmp eq i32 %84, 0
  br i1 %85, label %86, label %95

86:                                               ; preds = %73
  %87 = load ptr, ptr %13, align 8
  %88 = getelementptr inbounds %struct.ort_api, ptr %87, i32 0, i32 6
  %89 = load ptr, ptr %88, align 8
  %90 = load ptr, ptr %15, align 8
  %91 = load ptr, ptr %11, align 8
  %92 = load i64, ptr %14, align 8
  %93 = getelementptr inbounds ptr, ptr %91, i64 %92
  %94 = call ptr %89(ptr noundef %90, ptr noundef %93)
  store ptr %94, ptr %17, align 8
  br label %95

95:                                               ; preds = %86, %73, %65, %58
  %96 = load ptr, ptr %16, align 8
  %97 = icmp ne ptr %96, null
  br i1 %97, label %98, label %103

98:                                               ; preds = %95
  %99 = load ptr, ptr %13, align 8
  %100 = getelementptr inbounds %struct.ort_api, ptr %99, i32 0, i32 26
  %101 = load ptr, ptr %100, align 8
  %102 = load ptr, ptr %16, align 8
  call void %101(ptr noundef %102)
  br label %103

103:                                              ; preds = %98, %95
  %104 = load ptr, ptr %17, align 8
  %105 = icmp ne ptr %104, null
  br i1 %105, label %109, label %106

106:                                              ; preds = %103
  %107 = load i32, ptr %18, align 4
  %108 = icmp ne i32 %107, 0
  br i1 %108, label %109, label %120

109:                                              ; preds = %106, %103
  %110 = load ptr, ptr %17, align 8
  %111 = icmp ne ptr %110, null
  br i1 %111, label %112, label %114

112:                                              ; preds = %109
  %113 = load ptr, ptr %17, align 8
  br label %118

114:                                              ; preds = %109
  %115 = load ptr, ptr %13, align 8
  %116 = load i32, ptr %18, align 4
  %117 = call ptr @ort_text(ptr noundef %115, i32 noundef %116)
  br label %118

118:                                              ; preds = %114, %112
  %119 = phi ptr [ %113, %112 ], [ %117, %114 ]
  store ptr %119, ptr %6, align 8
  br label %125

120:                                              ; preds = %106
  br label %121

121:                                              ; preds = %120
  %122 = load i64, ptr %14, align 8
  %123 = add nsw i64 %122, 1
  store i64 %123, ptr %14, align 8
  br label %25, !llvm.loop !48

124:                                              ; preds = %25
  store ptr null, ptr %6, align 8
  br label %125

125:                                              ; preds = %124, %118, %44, %39
  %126 = load ptr, ptr %6, align 8
  ret ptr %126
}

; Function Attrs: nounwind uwtable
define internal double @eval_known(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca %struct.call, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  call void @llvm.memset.p0.i64(ptr align 8 %5, i8 0, i64 56, i1 false)
  %6 = getelementptr inbounds %struct.call, ptr %5, i32 0, i32 0
  %7 = getelementptr inbounds %struct.call, ptr %5, i32 0, i32 1
  %8 = getelementptr inbounds %struct.call, ptr %5, i32 0, i32 2
  %9 = getelementptr inbounds %struct.call, ptr %5, i32 0, i32 3
  %10 = getelementptr inbounds %struct.call, ptr %5, i32 0, i32 4
  %11 = getelementptr inbounds %struct.call, ptr %5, i32 0, i32 5
  %12 = getelementptr inbounds %struct.call, ptr %5, i32 0, i32 6
  %13 = load ptr, ptr %4, align 8
  %14 = getelementptr inbounds %struct.known, ptr %13, i32 0, i32 0
  %15 = getelementptr inbounds [128 x double], ptr %14, i64 0, i64 0
  store ptr %15, ptr %12, align 8
  %16 = load ptr, ptr %3, align 8
  %17 = call double @eval(ptr noundef %16, ptr noundef %5)
  ret double %17
}

; Function Attrs: nounwind uwtable
define internal ptr @make_outputs(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4) #0 {
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca ptr, align 8
  %11 = alloca ptr, align 8
  %12 = alloca ptr, align 8
  %13 = alloca ptr, align 8
  %14 = alloca i64, align 8
  %15 = alloca i64, align 8
  %16 = alloca %struct.shape, align 8
  %17 = alloca ptr, align 8
  %18 = alloca ptr, align 8
  %19 = alloca ptr, align 8
  %20 = alloca double, align 8
  %21 = alloca i32, align 4
  store ptr %0, ptr %7, align 8
  store ptr %1, ptr %8, align 8
  store ptr %2, ptr %9, align 8
  store ptr %3, ptr %10, align 8
  store ptr %4, ptr %11, align 8
  %22 = load ptr, ptr %7, align 8
  %23 = getelementptr inbounds %struct.kernel, ptr %22, i32 0, i32 0
  %24 = load ptr, ptr %23, align 8
  store ptr %24, ptr %12, align 8
  %25 = load ptr, ptr %7, align 8
  %26 = getelementptr inbounds %struct.kernel, ptr %25, i32 0, i32 1
  %27 = load ptr, ptr %26, align 8
  store ptr %27, ptr %13, align 8
  %28 = load ptr, ptr %11, align 8
  store double 0.000000e+00, ptr %28, align 8
  store i64 0, ptr %14, align 8
  br label %29

29:                                               ; preds = %141, %5
  %30 = load i64, ptr %14, align 8
  %31 = load ptr, ptr %12, align 8
  %32 = getelementptr inbounds %struct.operator, ptr %31, i32 0, i32 3
  %33 = load i64, ptr %32, align 8
  %34 = icmp slt i64 %30, %33
  br i1 %34, label %35, label %144

35:                                               ; preds = %29
  %36 = load ptr, ptr %12, align 8
  %37 = getelementptr inbounds %struct.operator, ptr %36, i32 0, i32 6
  %38 = load ptr, ptr %37, align 8
  %39 = load ptr, ptr %12, align 8
  %40 = getelementptr inbounds %struct.operator, ptr %39, i32 0, i32 2
  %41 = load i64, ptr %40, align 8
  %42 = load i64, ptr %14, align 8
  %43 = add nsw i64 %41, %42
  %44 = getelementptr inbounds %struct.tensor, ptr %38, i64 %43
  store ptr %44, ptr %17, align 8
  store ptr null, ptr %18, align 8
  store double 1.000000e+00, ptr %20, align 8
  %45 = load ptr, ptr %12, align 8
  %46 = load ptr, ptr %17, align 8
  %47 = load ptr, ptr %9, align 8
  %48 = call i32 @shape_output(ptr noundef %45, ptr noundef %46, ptr noundef %47, ptr noundef %16)
  store i32 %48, ptr %21, align 4
  store i64 0, ptr %15, align 8
  br label %49

49:                                               ; preds = %83, %35
  %50 = load i64, ptr %15, align 8
  %51 = getelementptr inbounds %struct.shape, ptr %16, i32 0, i32 0
  %52 = load i64, ptr %51, align 8
  %53 = icmp ult i64 %50, %52
  br i1 %53, label %54, label %58

54:                                               ; preds = %49
  %55 = load i32, ptr %21, align 4
  %56 = icmp ne i32 %55, 0
  %57 = xor i1 %56, true
  br label %58

58:                                               ; preds = %54, %49
  %59 = phi i1 [ false, %49 ], [ %57, %54 ]
  br i1 %59, label %60, label %86

60:                                               ; preds = %58
  %61 = getelementptr inbounds %struct.shape, ptr %16, i32 0, i32 1
  %62 = load i64, ptr %15, align 8
  %63 = getelementptr inbounds [33 x i64], ptr %61, i64 0, i64 %62
  %64 = load i64, ptr %63, align 8
  %65 = icmp slt i64 %64, 0
  br i1 %65, label %66, label %75

66:                                               ; preds = %60
  %67 = load ptr, ptr %12, align 8
  %68 = getelementptr inbounds %struct.operator, ptr %67, i32 0, i32 0
  %69 = load ptr, ptr %68, align 8
  %70 = load i64, ptr %15, align 8
  %71 = load ptr, ptr %17, align 8
  %72 = getelementptr inbounds %struct.tensor, ptr %71, i32 0, i32 0
  %73 = load ptr, ptr %72, align 8
  %74 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.71, ptr noundef %69, i64 noundef %70, ptr noundef %73)
  store i32 %74, ptr %21, align 4
  br label %75

75:                                               ; preds = %66, %60
  %76 = getelementptr inbounds %struct.shape, ptr %16, i32 0, i32 1
  %77 = load i64, ptr %15, align 8
  %78 = getelementptr inbounds [33 x i64], ptr %76, i64 0, i64 %77
  %79 = load i64, ptr %78, align 8
  %80 = sitofp i64 %79 to double
  %81 = load double, ptr %20, align 8
  %82 = fmul double %81, %80
  store double %82, ptr %20, align 8
  br label %83

83:                                               ; preds = %75
  %84 = load i64, ptr %15, align 8
  %85 = add i64 %84, 1
  store i64 %85, ptr %15, align 8
  br label %49, !llvm.loop !49

86:                                               ; preds = %58
  %87 = load i32, ptr %21, align 4
  %88 = icmp ne i32 %87, 0
  br i1 %88, label %89, label %93

89:                                               ; preds = %86
  %90 = load ptr, ptr %13, align 8
  %91 = load i32, ptr %21, align 4
  %92 = call ptr @ort_text(ptr noundef %90, i32 noundef %91)
  store ptr %92, ptr %6, align 8
  br label %145

93:                                               ; preds = %86
  %94 = load ptr, ptr %13, align 8
  %95 = getelementptr inbounds %struct.ort_api, ptr %94, i32 0, i32 22
  %96 = load ptr, ptr %95, align 8
  %97 = load ptr, ptr %8, align 8
  %98 = load i64, ptr %14, align 8
  %99 = getelementptr inbounds %struct.shape, ptr %16, i32 0, i32 1
  %100 = getelementptr inbounds [33 x i64], ptr %99, i64 0, i64 0
  %101 = getelementptr inbounds %struct.shape, ptr %16, i32 0, i32 0
  %102 = load i64, ptr %101, align 8
  %103 = call ptr %96(ptr noundef %97, i64 noundef %98, ptr noundef %100, i64 noundef %102, ptr noundef %18)
  store ptr %103, ptr %19, align 8
  %104 = icmp ne ptr %103, null
  br i1 %104, label %105, label %107

105:                                              ; preds = %93
  %106 = load ptr, ptr %19, align 8
  store ptr %106, ptr %6, align 8
  br label %145

107:                                              ; preds = %93
  %108 = load ptr, ptr %18, align 8
  %109 = icmp ne ptr %108, null
  br i1 %109, label %120, label %110

110:                                              ; preds = %107
  %111 = load ptr, ptr %13, align 8
  %112 = load ptr, ptr %12, align 8
  %113 = getelementptr inbounds %struct.operator, ptr %112, i32 0, i32 0
  %114 = load ptr, ptr %113, align 8
  %115 = load ptr, ptr %17, align 8
  %116 = getelementptr inbounds %struct.tensor, ptr %115, i32 0, i32 0
  %117 = load ptr, ptr %116, align 8
  %118 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.72, ptr noundef %114, ptr noundef %117)
  %119 = call ptr @ort_text(ptr noundef %111, i32 noundef %118)
  store ptr %119, ptr %6, align 8
  br label %145

120:                                              ; preds = %107
  %121 = load ptr, ptr %13, align 8
  %122 = getelementptr inbounds %struct.ort_api, ptr %121, i32 0, i32 6
  %123 = load ptr, ptr %122, align 8
  %124 = load ptr, ptr %18, align 8
  %125 = load ptr, ptr %10, align 8
  %126 = load ptr, ptr %12, align 8
  %127 = getelementptr inbounds %struct.operator, ptr %126, i32 0, i32 2
  %128 = load i64, ptr %127, align 8
  %129 = load i64, ptr %14, align 8
  %130 = add nsw i64 %128, %129
  %131 = getelementptr inbounds ptr, ptr %125, i64 %130
  %132 = call ptr %123(ptr noundef %124, ptr noundef %131)
  store ptr %132, ptr %19, align 8
  %133 = icmp ne ptr %132, null
  br i1 %133, label %134, label %136

134:                                              ; preds = %120
  %135 = load ptr, ptr %19, align 8
  store ptr %135, ptr %6, align 8
  br label %145

136:                                              ; preds = %120
  %137 = load double, ptr %20, align 8
  %138 = load ptr, ptr %11, align 8
  %139 = load double, ptr %138, align 8
  %140 = fadd double %139, %137
  store double %140, ptr %138, align 8
  br label %141

141:                                              ; preds = %136
  %142 = load i64, ptr %14, align 8
  %143 = add nsw i64 %142, 1
  store i64 %143, ptr %14, align 8
  br label %29, !llvm.loop !50

144:                                              ; preds = %29
  store ptr null, ptr %6, align 8
  br label %145

145:                                              ; preds = %144, %134, %110, %105, %89
  %146 = load ptr, ptr %6, align 8
  ret ptr %146
}

; Function Attrs: nounwind uwtable
define internal i32 @launch_operator(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4) #0 {
  %6 = alloca i32, align 4
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca ptr, align 8
  %11 = alloca ptr, align 8
  %12 = alloca ptr, align 8
  %13 = alloca ptr, align 8
  %14 = alloca %struct.PREFIX_place, align 8
  %15 = alloca %struct.ort_threads, align 8
  %16 = alloca %struct.helpers, align 8
  %17 = alloca [256 x i64], align 8
  %18 = alloca [128 x i64], align 8
  %19 = alloca i64, align 8
  %20 = alloca %struct.call, align 8
  %21 = alloca ptr, align 8
  %22 = alloca double, align 8
  %23 = alloca i32, align 4
  store ptr %0, ptr %7, align 8
  store ptr %1, ptr %8, align 8
  store ptr %2, ptr %9, align 8
  store ptr %3, ptr %10, align 8
  store ptr %4, ptr %11, align 8
  %24 = load ptr, ptr %7, align 8
  %25 = getelementptr inbounds %struct.kernel, ptr %24, i32 0, i32 0
  %26 = load ptr, ptr %25, align 8
  store ptr %26, ptr %12, align 8
  %27 = load ptr, ptr %12, align 8
  %28 = getelementptr inbounds %struct.operator, ptr %27, i32 0, i32 8
  %29 = load ptr, ptr %28, align 8
  store ptr %29, ptr %13, align 8
  %30 = getelementptr inbounds %struct.PREFIX_place, ptr %14, i32 0, i32 0
  %31 = load ptr, ptr %12, align 8
  %32 = getelementptr inbounds %struct.operator, ptr %31, i32 0, i32 10
  %33 = load i64, ptr %32, align 8
  %34 = icmp ne i64 %33, 0
  %35 = zext i1 %34 to i32
  store i32 %35, ptr %30, align 8
  %36 = getelementptr i8, ptr %14, i64 4
  call void @llvm.memset.p0.i64(ptr align 4 %36, i8 0, i64 4, i1 false)
  %37 = getelementptr inbounds %struct.PREFIX_place, ptr %14, i32 0, i32 1
  %38 = load ptr, ptr %11, align 8
  store ptr %38, ptr %37, align 8
  %39 = getelementptr inbounds %struct.PREFIX_place, ptr %14, i32 0, i32 2
  store i32 0, ptr %39, align 8
  %40 = getelementptr i8, ptr %14, i64 20
  call void @llvm.memset.p0.i64(ptr align 4 %40, i8 0, i64 4, i1 false)
  %41 = getelementptr inbounds %struct.ort_threads, ptr %15, i32 0, i32 0
  %42 = load ptr, ptr %7, align 8
  %43 = getelementptr inbounds %struct.kernel, ptr %42, i32 0, i32 1
  %44 = load ptr, ptr %43, align 8
  store ptr %44, ptr %41, align 8
  %45 = getelementptr inbounds %struct.ort_threads, ptr %15, i32 0, i32 1
  %46 = load ptr, ptr %8, align 8
  store ptr %46, ptr %45, align 8
  %47 = getelementptr inbounds %struct.helpers, ptr %16, i32 0, i32 0
  store ptr @share_ort, ptr %47, align 8
  %48 = getelementptr inbounds %struct.helpers, ptr %16, i32 0, i32 1
  store ptr %15, ptr %48, align 8
  %49 = getelementptr inbounds %struct.call, ptr %20, i32 0, i32 0
  %50 = load ptr, ptr %13, align 8
  store ptr %50, ptr %49, align 8
  %51 = getelementptr inbounds %struct.call, ptr %20, i32 0, i32 1
  store ptr %14, ptr %51, align 8
  %52 = getelementptr inbounds %struct.call, ptr %20, i32 0, i32 2
  store ptr %16, ptr %52, align 8
  %53 = getelementptr inbounds %struct.call, ptr %20, i32 0, i32 3
  store ptr null, ptr %53, align 8
  %54 = getelementptr inbounds %struct.call, ptr %20, i32 0, i32 4
  %55 = getelementptr inbounds [256 x i64], ptr %17, i64 0, i64 0
  store ptr %55, ptr %54, align 8
  %56 = getelementptr inbounds %struct.call, ptr %20, i32 0, i32 5
  %57 = getelementptr inbounds [128 x i64], ptr %18, i64 0, i64 0
  store ptr %57, ptr %56, align 8
  %58 = getelementptr inbounds %struct.call, ptr %20, i32 0, i32 6
  store ptr null, ptr %58, align 8
  store i64 0, ptr %19, align 8
  br label %59

59:                                               ; preds = %148, %5
  %60 = load i64, ptr %19, align 8
  %61 = load ptr, ptr %13, align 8
  %62 = getelementptr inbounds %struct.group, ptr %61, i32 0, i32 2
  %63 = load i64, ptr %62, align 8
  %64 = load ptr, ptr %13, align 8
  %65 = getelementptr inbounds %struct.group, ptr %64, i32 0, i32 3
  %66 = load i64, ptr %65, align 8
  %67 = add nsw i64 %63, %66
  %68 = icmp slt i64 %60, %67
  br i1 %68, label %69, label %151

69:                                               ; preds = %59
  %70 = load ptr, ptr %12, align 8
  %71 = getelementptr inbounds %struct.operator, ptr %70, i32 0, i32 9
  %72 = load ptr, ptr %71, align 8
  %73 = load i64, ptr %19, align 8
  %74 = getelementptr inbounds %struct.operand, ptr %72, i64 %73
  store ptr %74, ptr %21, align 8
  %75 = load ptr, ptr %21, align 8
  %76 = getelementptr inbounds %struct.operand, ptr %75, i32 0, i32 0
  %77 = load i64, ptr %76, align 8
  %78 = icmp slt i64 %77, 0
  br i1 %78, label %79, label %85

79:                                               ; preds = %69
  %80 = load ptr, ptr %21, align 8
  %81 = getelementptr inbounds %struct.operand, ptr %80, i32 0, i32 1
  %82 = load ptr, ptr %81, align 8
  %83 = load ptr, ptr %9, align 8
  %84 = call double @eval_known(ptr noundef %82, ptr noundef %83)
  br label %86

85:                                               ; preds = %69
  br label %86

86:                                               ; preds = %85, %79
  %87 = phi double [ %84, %79 ], [ 0.000000e+00, %85 ]
  store double %87, ptr %22, align 8
  store i32 0, ptr %23, align 4
  %88 = load i64, ptr %19, align 8
  %89 = load ptr, ptr %13, align 8
  %90 = getelementptr inbounds %struct.group, ptr %89, i32 0, i32 2
  %91 = load i64, ptr %90, align 8
  %92 = icmp sge i64 %88, %91
  br i1 %92, label %93, label %111

93:                                               ; preds = %86
  %94 = load double, ptr %22, align 8
  %95 = fcmp oge double %94, -9.000000e+15
  br i1 %95, label %96, label %102

96:                                               ; preds = %93
  %97 = load double, ptr %22, align 8
  %98 = fcmp ole double %97, 9.000000e+15
  br i1 %98, label %99, label %102

99:                                               ; preds = %96
  %100 = load double, ptr %22, align 8
  %101 = fptosi double %100 to i64
  br label %103

102:                                              ; preds = %96, %93
  br label %103

103:                                              ; preds = %102, %99
  %104 = phi i64 [ %101, %99 ], [ -1, %102 ]
  %105 = load i64, ptr %19, align 8
  %106 = load ptr, ptr %13, align 8
  %107 = getelementptr inbounds %struct.group, ptr %106, i32 0, i32 2
  %108 = load i64, ptr %107, align 8
  %109 = sub nsw i64 %105, %108
  %110 = getelementptr inbounds [128 x i64], ptr %18, i64 0, i64 %109
  store i64 %104, ptr %110, align 8
  br label %142

111:                                              ; preds = %86
  %112 = load ptr, ptr %21, align 8
  %113 = getelementptr inbounds %struct.operand, ptr %112, i32 0, i32 0
  %114 = load i64, ptr %113, align 8
  %115 = icmp sge i64 %114, 0
  br i1 %115, label %116, label %126

116:                                              ; preds = %111
  %117 = load ptr, ptr %10, align 8
  %118 = load ptr, ptr %21, align 8
  %119 = getelementptr inbounds %struct.operand, ptr %118, i32 0, i32 0
  %120 = load i64, ptr %119, align 8
  %121 = getelementptr inbounds ptr, ptr %117, i64 %120
  %122 = load ptr, ptr %121, align 8
  %123 = ptrtoint ptr %122 to i64
  %124 = load i64, ptr %19, align 8
  %125 = getelementptr inbounds [256 x i64], ptr %17, i64 0, i64 %124
  store i64 %123, ptr %125, align 8
  br label %141

126:                                              ; preds = %111
  %127 = load ptr, ptr %12, align 8
  %128 = load ptr, ptr %13, align 8
  %129 = getelementptr inbounds %struct.group, ptr %128, i32 0, i32 4
  %130 = load ptr, ptr %129, align 8
  %131 = getelementptr inbounds ptr, ptr %130, i64 0
  %132 = load ptr, ptr %131, align 8
  %133 = getelementptr inbounds %struct.PREFIX_variant, ptr %132, i32 0, i32 11
  %134 = load ptr, ptr %133, align 8
  %135 = load i64, ptr %19, align 8
  %136 = getelementptr inbounds %struct.argument, ptr %134, i64 %135
  %137 = load double, ptr %22, align 8
  %138 = load i64, ptr %19, align 8
  %139 = getelementptr inbounds [256 x i64], ptr %17, i64 0, i64 %138
  %140 = call i32 @put(ptr noundef %127, ptr noundef %136, double noundef %137, ptr noundef %139)
  store i32 %140, ptr %23, align 4
  br label %141

141:                                              ; preds = %126, %116
  br label %142

142:                                              ; preds = %141, %103
  %143 = load i32, ptr %23, align 4
  %144 = icmp ne i32 %143, 0
  br i1 %144, label %145, label %147

145:                                              ; preds = %142
  %146 = load i32, ptr %23, align 4
  store i32 %146, ptr %6, align 4
  br label %153

147:                                              ; preds = %142
  br label %148

148:                                              ; preds = %147
  %149 = load i64, ptr %19, align 8
  %150 = add nsw i64 %149, 1
  store i64 %150, ptr %19, align 8
  br label %59, !llvm.loop !51

151:                                              ; preds = %59
  %152 = call i32 @launch_call(ptr noundef %20)
  store i32 %152, ptr %6, align 4
  br label %153

153:                                              ; preds = %151, %145
  %154 = load i32, ptr %6, align 4
  ret i32 %154
}

; Function Attrs: nounwind uwtable
define internal ptr @read_shape(ptr noundef %0, ptr noundef %1, i32 noundef %2, ptr noundef %3) #0 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i32, align 4
  %9 = alloca ptr, align 8
  %10 = alloca ptr, align 8
  store ptr %0, ptr %6, align 8
  store ptr %1, ptr %7, align 8
  store i32 %2, ptr %8, align 4
  store ptr %3, ptr %9, align 8
  %11 = load ptr, ptr %6, align 8
  %12 = getelementptr inbounds %struct.ort_api, ptr %11, i32 0, i32 12
  %13 = load ptr, ptr %12, align 8
  %14 = load ptr, ptr %7, align 8
  %15 = load ptr, ptr %9, align 8
  %16 = getelementptr inbounds %struct.shape, ptr %15, i32 0, i32 0
  %17 = call ptr %13(ptr noundef %14, ptr noundef %16)
  store ptr %17, ptr %10, align 8
  %18 = load ptr, ptr %9, align 8
  %19 = getelementptr inbounds %struct.shape, ptr %18, i32 0, i32 2
  %20 = getelementptr inbounds [33 x ptr], ptr %19, i64 0, i64 0
  call void @llvm.memset.p0.i64(ptr align 8 %20, i8 0, i64 264, i1 false)
  %21 = load ptr, ptr %10, align 8
  %22 = icmp ne ptr %21, null
  br i1 %22, label %23, label %25

23:                                               ; preds = %4
  %24 = load ptr, ptr %10, align 8
  store ptr %24, ptr %5, align 8
  br label %67

25:                                               ; preds = %4
  %26 = load ptr, ptr %9, align 8
  %27 = getelementptr inbounds %struct.shape, ptr %26, i32 0, i32 0
  %28 = load i64, ptr %27, align 8
  %29 = icmp ugt i64 %28, 32
  br i1 %29, label %30, label %37

30:                                               ; preds = %25
  %31 = load ptr, ptr %6, align 8
  %32 = load ptr, ptr %9, align 8
  %33 = getelementptr inbounds %struct.shape, ptr %32, i32 0, i32 0
  %34 = load i64, ptr %33, align 8
  %35 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.65, i64 noundef %34)
  %36 = call ptr @ort_text(ptr noundef %31, i32 noundef %35)
  store ptr %36, ptr %5, align 8
  br label %67

37:                                               ; preds = %25
  %38 = load ptr, ptr %6, align 8
  %39 = getelementptr inbounds %struct.ort_api, ptr %38, i32 0, i32 13
  %40 = load ptr, ptr %39, align 8
  %41 = load ptr, ptr %7, align 8
  %42 = load ptr, ptr %9, align 8
  %43 = getelementptr inbounds %struct.shape, ptr %42, i32 0, i32 1
  %44 = getelementptr inbounds [33 x i64], ptr %43, i64 0, i64 0
  %45 = load ptr, ptr %9, align 8
  %46 = getelementptr inbounds %struct.shape, ptr %45, i32 0, i32 0
  %47 = load i64, ptr %46, align 8
  %48 = call ptr %40(ptr noundef %41, ptr noundef %44, i64 noundef %47)
  store ptr %48, ptr %10, align 8
  %49 = icmp ne ptr %48, null
  br i1 %49, label %53, label %50

50:                                               ; preds = %37
  %51 = load i32, ptr %8, align 4
  %52 = icmp ne i32 %51, 0
  br i1 %52, label %55, label %53

53:                                               ; preds = %50, %37
  %54 = load ptr, ptr %10, align 8
  store ptr %54, ptr %5, align 8
  br label %67

55:                                               ; preds = %50
  %56 = load ptr, ptr %6, align 8
  %57 = getelementptr inbounds %struct.ort_api, ptr %56, i32 0, i32 14
  %58 = load ptr, ptr %57, align 8
  %59 = load ptr, ptr %7, align 8
  %60 = load ptr, ptr %9, align 8
  %61 = getelementptr inbounds %struct.shape, ptr %60, i32 0, i32 2
  %62 = getelementptr inbounds [33 x ptr], ptr %61, i64 0, i64 0
  %63 = load ptr, ptr %9, align 8
  %64 = getelementptr inbounds %struct.shape, ptr %63, i32 0, i32 0
  %65 = load i64, ptr %64, align 8
  %66 = call ptr %58(ptr noundef %59, ptr noundef %62, i64 noundef %65)
  store ptr %66, ptr %5, align 8
  br label %67

67:                                               ; preds = %55, %53, %30, %23
  %68 = load ptr, ptr %5, align 8
  ret ptr %68
}

; Function Attrs: nounwind uwtable
define internal i32 @bind_input(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) #0 {
  %5 = alloca i32, align 4
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  %13 = alloca i32, align 4
  %14 = alloca i32, align 4
  %15 = alloca i64, align 8
  store ptr %0, ptr %6, align 8
  store ptr %1, ptr %7, align 8
  store ptr %2, ptr %8, align 8
  store ptr %3, ptr %9, align 8
  %16 = load ptr, ptr %7, align 8
  %17 = getelementptr inbounds %struct.tensor, ptr %16, i32 0, i32 3
  %18 = load i64, ptr %17, align 8
  store i64 %18, ptr %10, align 8
  store i64 0, ptr %12, align 8
  store i32 0, ptr %13, align 4
  store i32 0, ptr %14, align 4
  store i64 0, ptr %11, align 8
  br label %19

19:                                               ; preds = %37, %4
  %20 = load i64, ptr %11, align 8
  %21 = load ptr, ptr %7, align 8
  %22 = getelementptr inbounds %struct.tensor, ptr %21, i32 0, i32 3
  %23 = load i64, ptr %22, align 8
  %24 = icmp ult i64 %20, %23
  br i1 %24, label %25, label %40

25:                                               ; preds = %19
  %26 = load ptr, ptr %7, align 8
  %27 = getelementptr inbounds %struct.tensor, ptr %26, i32 0, i32 4
  %28 = load ptr, ptr %27, align 8
  %29 = load i64, ptr %11, align 8
  %30 = getelementptr inbounds %struct.dim, ptr %28, i64 %29
  %31 = getelementptr inbounds %struct.dim, ptr %30, i32 0, i32 0
  %32 = load i64, ptr %31, align 8
  %33 = icmp ne i64 %32, 0
  %34 = zext i1 %33 to i32
  %35 = load i32, ptr %13, align 4
  %36 = or i32 %35, %34
  store i32 %36, ptr %13, align 4
  br label %37

37:                                               ; preds = %25
  %38 = load i64, ptr %11, align 8
  %39 = add i64 %38, 1
  store i64 %39, ptr %11, align 8
  br label %19, !llvm.loop !52

40:                                               ; preds = %19
  %41 = load i32, ptr %13, align 4
  %42 = sext i32 %41 to i64
  %43 = load i64, ptr %10, align 8
  %44 = sub i64 %43, %42
  store i64 %44, ptr %10, align 8
  %45 = load ptr, ptr %8, align 8
  %46 = getelementptr inbounds %struct.shape, ptr %45, i32 0, i32 0
  %47 = load i64, ptr %46, align 8
  %48 = load i64, ptr %10, align 8
  %49 = icmp ult i64 %47, %48
  br i1 %49, label %59, label %50

50:                                               ; preds = %40
  %51 = load i32, ptr %13, align 4
  %52 = icmp ne i32 %51, 0
  br i1 %52, label %75, label %53

53:                                               ; preds = %50
  %54 = load ptr, ptr %8, align 8
  %55 = getelementptr inbounds %struct.shape, ptr %54, i32 0, i32 0
  %56 = load i64, ptr %55, align 8
  %57 = load i64, ptr %10, align 8
  %58 = icmp ne i64 %56, %57
  br i1 %58, label %59, label %75

59:                                               ; preds = %53, %40
  %60 = load ptr, ptr %6, align 8
  %61 = getelementptr inbounds %struct.operator, ptr %60, i32 0, i32 0
  %62 = load ptr, ptr %61, align 8
  %63 = load ptr, ptr %7, align 8
  %64 = getelementptr inbounds %struct.tensor, ptr %63, i32 0, i32 0
  %65 = load ptr, ptr %64, align 8
  %66 = load ptr, ptr %8, align 8
  %67 = getelementptr inbounds %struct.shape, ptr %66, i32 0, i32 0
  %68 = load i64, ptr %67, align 8
  %69 = load i32, ptr %13, align 4
  %70 = icmp ne i32 %69, 0
  %71 = zext i1 %70 to i64
  %72 = select i1 %70, ptr @.str.67, ptr @.str.68
  %73 = load i64, ptr %10, align 8
  %74 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.66, ptr noundef %62, ptr noundef %65, i64 noundef %68, ptr noundef %72, i64 noundef %73)
  store i32 %74, ptr %5, align 4
  br label %126

75:                                               ; preds = %53, %50
  store i64 0, ptr %11, align 8
  br label %76

76:                                               ; preds = %121, %75
  %77 = load i64, ptr %11, align 8
  %78 = load ptr, ptr %7, align 8
  %79 = getelementptr inbounds %struct.tensor, ptr %78, i32 0, i32 3
  %80 = load i64, ptr %79, align 8
  %81 = icmp ult i64 %77, %80
  br i1 %81, label %82, label %86

82:                                               ; preds = %76
  %83 = load i32, ptr %14, align 4
  %84 = icmp ne i32 %83, 0
  %85 = xor i1 %84, true
  br label %86

86:                                               ; preds = %82, %76
  %87 = phi i1 [ false, %76 ], [ %85, %82 ]
  br i1 %87, label %88, label %124

88:                                               ; preds = %86
  %89 = load ptr, ptr %7, align 8
  %90 = getelementptr inbounds %struct.tensor, ptr %89, i32 0, i32 4
  %91 = load ptr, ptr %90, align 8
  %92 = load i64, ptr %11, align 8
  %93 = getelementptr inbounds %struct.dim, ptr %91, i64 %92
  %94 = getelementptr inbounds %struct.dim, ptr %93, i32 0, i32 0
  %95 = load i64, ptr %94, align 8
  %96 = icmp ne i64 %95, 0
  br i1 %96, label %97, label %103

97:                                               ; preds = %88
  %98 = load ptr, ptr %8, align 8
  %99 = getelementptr inbounds %struct.shape, ptr %98, i32 0, i32 0
  %100 = load i64, ptr %99, align 8
  %101 = load i64, ptr %10, align 8
  %102 = sub i64 %100, %101
  br label %104

103:                                              ; preds = %88
  br label %104

104:                                              ; preds = %103, %97
  %105 = phi i64 [ %102, %97 ], [ 1, %103 ]
  store i64 %105, ptr %15, align 8
  %106 = load ptr, ptr %6, align 8
  %107 = load ptr, ptr %7, align 8
  %108 = load ptr, ptr %7, align 8
  %109 = getelementptr inbounds %struct.tensor, ptr %108, i32 0, i32 4
  %110 = load ptr, ptr %109, align 8
  %111 = load i64, ptr %11, align 8
  %112 = getelementptr inbounds %struct.dim, ptr %110, i64 %111
  %113 = load ptr, ptr %8, align 8
  %114 = load i64, ptr %12, align 8
  %115 = load i64, ptr %15, align 8
  %116 = load ptr, ptr %9, align 8
  %117 = call i32 @bind_dim(ptr noundef %106, ptr noundef %107, ptr noundef %112, ptr noundef %113, i64 noundef %114, i64 noundef %115, ptr noundef %116)
  store i32 %117, ptr %14, align 4
  %118 = load i64, ptr %15, align 8
  %119 = load i64, ptr %12, align 8
  %120 = add i64 %119, %118
  store i64 %120, ptr %12, align 8
  br label %121

121:                                              ; preds = %104
  %122 = load i64, ptr %11, align 8
  %123 = add i64 %122, 1
  store i64 %123, ptr %11, align 8
  br label %76, !llvm.loop !53

124:                                              ; preds = %86
  %125 = load i32, ptr %14, align 4
  store i32 %125, ptr %5, align 4
  br label %126

126:                                              ; preds = %124, %59
  %127 = load i32, ptr %5, align 4
  ret i32 %127
}

; Function Attrs: nounwind uwtable
define internal i32 @bind_dim(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, i64 noundef %4, i64 noundef %5, ptr noundef %6) #0 {
  %8 = alloca i32, align 4
  %9 = alloca ptr, align 8
  %10 = alloca ptr, align 8
  %11 = alloca ptr, align 8
  %12 = alloca ptr, align 8
  %13 = alloca i64, align 8
  %14 = alloca i64, align 8
  %15 = alloca ptr, align 8
  %16 = alloca double, align 8
  %17 = alloca double, align 8
  store ptr %0, ptr %9, align 8
  store ptr %1, ptr %10, align 8
  store ptr %2, ptr %11, align 8
  store ptr %3, ptr %12, align 8
  store i64 %4, ptr %13, align 8
  store i64 %5, ptr %14, align 8
  store ptr %6, ptr %15, align 8
  %18 = load ptr, ptr %12, align 8
  %19 = load i64, ptr %13, align 8
  %20 = call double @size_of(ptr noundef %18, i64 noundef %19)
  store double %20, ptr %16, align 8
  %21 = load ptr, ptr %11, align 8
  %22 = getelementptr inbounds %struct.dim, ptr %21, i32 0, i32 0
  %23 = load i64, ptr %22, align 8
  %24 = icmp ne i64 %23, 0
  br i1 %24, label %25, label %38

25:                                               ; preds = %7
  %26 = load ptr, ptr %11, align 8
  %27 = getelementptr inbounds %struct.dim, ptr %26, i32 0, i32 1
  %28 = load i64, ptr %27, align 8
  %29 = icmp ne i64 %28, 0
  br i1 %29, label %30, label %38

30:                                               ; preds = %25
  %31 = load ptr, ptr %15, align 8
  %32 = load ptr, ptr %11, align 8
  %33 = getelementptr inbounds %struct.dim, ptr %32, i32 0, i32 2
  %34 = load i64, ptr %33, align 8
  %35 = load ptr, ptr %12, align 8
  %36 = load i64, ptr %13, align 8
  %37 = load i64, ptr %14, align 8
  call void @bind_star(ptr noundef %31, i64 noundef %34, ptr noundef %35, i64 noundef %36, i64 noundef %37)
  store i32 0, ptr %8, align 4
  br label %120

38:                                               ; preds = %25, %7
  %39 = load ptr, ptr %11, align 8
  %40 = getelementptr inbounds %struct.dim, ptr %39, i32 0, i32 0
  %41 = load i64, ptr %40, align 8
  %42 = icmp ne i64 %41, 0
  br i1 %42, label %43, label %54

43:                                               ; preds = %38
  %44 = load ptr, ptr %15, align 8
  %45 = load ptr, ptr %11, align 8
  %46 = getelementptr inbounds %struct.dim, ptr %45, i32 0, i32 2
  %47 = load i64, ptr %46, align 8
  %48 = load ptr, ptr %12, align 8
  %49 = load i64, ptr %13, align 8
  %50 = load i64, ptr %14, align 8
  %51 = call i32 @same_star(ptr noundef %44, i64 noundef %47, ptr noundef %48, i64 noundef %49, i64 noundef %50)
  %52 = icmp ne i32 %51, 0
  br i1 %52, label %53, label %54

53:                                               ; preds = %43
  store i32 0, ptr %8, align 4
  br label %120

54:                                               ; preds = %43, %38
  %55 = load ptr, ptr %11, align 8
  %56 = getelementptr inbounds %struct.dim, ptr %55, i32 0, i32 0
  %57 = load i64, ptr %56, align 8
  %58 = icmp ne i64 %57, 0
  br i1 %58, label %59, label %67

59:                                               ; preds = %54
  %60 = load ptr, ptr %9, align 8
  %61 = getelementptr inbounds %struct.operator, ptr %60, i32 0, i32 0
  %62 = load ptr, ptr %61, align 8
  %63 = load ptr, ptr %10, align 8
  %64 = getelementptr inbounds %struct.tensor, ptr %63, i32 0, i32 0
  %65 = load ptr, ptr %64, align 8
  %66 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.69, ptr noundef %62, ptr noundef %65)
  store i32 %66, ptr %8, align 4
  br label %120

67:                                               ; preds = %54
  %68 = load ptr, ptr %11, align 8
  %69 = getelementptr inbounds %struct.dim, ptr %68, i32 0, i32 1
  %70 = load i64, ptr %69, align 8
  %71 = icmp ne i64 %70, 0
  br i1 %71, label %72, label %91

72:                                               ; preds = %67
  %73 = load double, ptr %16, align 8
  %74 = load ptr, ptr %15, align 8
  %75 = getelementptr inbounds %struct.known, ptr %74, i32 0, i32 0
  %76 = load ptr, ptr %11, align 8
  %77 = getelementptr inbounds %struct.dim, ptr %76, i32 0, i32 2
  %78 = load i64, ptr %77, align 8
  %79 = getelementptr inbounds [128 x double], ptr %75, i64 0, i64 %78
  store double %73, ptr %79, align 8
  %80 = load ptr, ptr %12, align 8
  %81 = getelementptr inbounds %struct.shape, ptr %80, i32 0, i32 2
  %82 = load i64, ptr %13, align 8
  %83 = getelementptr inbounds [33 x ptr], ptr %81, i64 0, i64 %82
  %84 = load ptr, ptr %83, align 8
  %85 = load ptr, ptr %15, align 8
  %86 = getelementptr inbounds %struct.known, ptr %85, i32 0, i32 1
  %87 = load ptr, ptr %11, align 8
  %88 = getelementptr inbounds %struct.dim, ptr %87, i32 0, i32 2
  %89 = load i64, ptr %88, align 8
  %90 = getelementptr inbounds [128 x ptr], ptr %86, i64 0, i64 %89
  store ptr %84, ptr %90, align 8
  store i32 0, ptr %8, align 4
  br label %120

91:                                               ; preds = %67
  %92 = load ptr, ptr %11, align 8
  %93 = getelementptr inbounds %struct.dim, ptr %92, i32 0, i32 3
  %94 = load ptr, ptr %93, align 8
  %95 = load ptr, ptr %15, align 8
  %96 = call double @eval_known(ptr noundef %94, ptr noundef %95)
  store double %96, ptr %17, align 8
  %97 = load double, ptr %17, align 8
  %98 = load double, ptr %17, align 8
  %99 = fcmp une double %97, %98
  br i1 %99, label %108, label %100

100:                                              ; preds = %91
  %101 = load double, ptr %16, align 8
  %102 = load double, ptr %16, align 8
  %103 = fcmp une double %101, %102
  br i1 %103, label %108, label %104

104:                                              ; preds = %100
  %105 = load double, ptr %17, align 8
  %106 = load double, ptr %16, align 8
  %107 = fcmp oeq double %105, %106
  br i1 %107, label %108, label %109

108:                                              ; preds = %104, %100, %91
  store i32 0, ptr %8, align 4
  br label %120

109:                                              ; preds = %104
  %110 = load ptr, ptr %9, align 8
  %111 = getelementptr inbounds %struct.operator, ptr %110, i32 0, i32 0
  %112 = load ptr, ptr %111, align 8
  %113 = load i64, ptr %13, align 8
  %114 = load ptr, ptr %10, align 8
  %115 = getelementptr inbounds %struct.tensor, ptr %114, i32 0, i32 0
  %116 = load ptr, ptr %115, align 8
  %117 = load double, ptr %16, align 8
  %118 = load double, ptr %17, align 8
  %119 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.70, ptr noundef %112, i64 noundef %113, ptr noundef %116, double noundef %117, double noundef %118)
  store i32 %119, ptr %8, align 4
  br label %120

120:                                              ; preds = %109, %108, %72, %59, %53, %30
  %121 = load i32, ptr %8, align 4
  ret i32 %121
}

; Function Attrs: nounwind uwtable
define internal double @size_of(ptr noundef %0, i64 noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load ptr, ptr %3, align 8
  %6 = getelementptr inbounds %struct.shape, ptr %5, i32 0, i32 1
  %7 = load i64, ptr %4, align 8
  %8 = getelementptr inbounds [33 x i64], ptr %6, i64 0, i64 %7
  %9 = load i64, ptr %8, align 8
  %10 = icmp slt i64 %9, 0
  br i1 %10, label %11, label %12

11:                                               ; preds = %2
  br label %19

12:                                               ; preds = %2
  %13 = load ptr, ptr %3, align 8
  %14 = getelementptr inbounds %struct.shape, ptr %13, i32 0, i32 1
  %15 = load i64, ptr %4, align 8
  %16 = getelementptr inbounds [33 x i64], ptr %14, i64 0, i64 %15
  %17 = load i64, ptr %16, align 8
  %18 = sitofp i64 %17 to double
  br label %19

19:                                               ; preds = %12, %11
  %20 = phi double [ 0x7FF8000000000000, %11 ], [ %18, %12 ]
  ret double %20
}

; Function Attrs: nounwind uwtable
define internal void @bind_star(ptr noundef %0, i64 noundef %1, ptr noundef %2, i64 noundef %3, i64 noundef %4) #0 {
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca ptr, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  store ptr %0, ptr %6, align 8
  store i64 %1, ptr %7, align 8
  store ptr %2, ptr %8, align 8
  store i64 %3, ptr %9, align 8
  store i64 %4, ptr %10, align 8
  %12 = load ptr, ptr %8, align 8
  %13 = load ptr, ptr %6, align 8
  %14 = getelementptr inbounds %struct.known, ptr %13, i32 0, i32 2
  %15 = load i64, ptr %7, align 8
  %16 = getelementptr inbounds [128 x ptr], ptr %14, i64 0, i64 %15
  store ptr %12, ptr %16, align 8
  %17 = load i64, ptr %9, align 8
  %18 = load ptr, ptr %6, align 8
  %19 = getelementptr inbounds %struct.known, ptr %18, i32 0, i32 3
  %20 = load i64, ptr %7, align 8
  %21 = getelementptr inbounds [128 x i64], ptr %19, i64 0, i64 %20
  store i64 %17, ptr %21, align 8
  %22 = load i64, ptr %10, align 8
  %23 = load ptr, ptr %6, align 8
  %24 = getelementptr inbounds %struct.known, ptr %23, i32 0, i32 4
  %25 = load i64, ptr %7, align 8
  %26 = getelementptr inbounds [128 x i64], ptr %24, i64 0, i64 %25
  store i64 %22, ptr %26, align 8
  %27 = load ptr, ptr %6, align 8
  %28 = getelementptr inbounds %struct.known, ptr %27, i32 0, i32 0
  %29 = load i64, ptr %7, align 8
  %30 = getelementptr inbounds [128 x double], ptr %28, i64 0, i64 %29
  store double 1.000000e+00, ptr %30, align 8
  store i64 0, ptr %11, align 8
  br label %31

31:                                               ; preds = %47, %5
  %32 = load i64, ptr %11, align 8
  %33 = load i64, ptr %10, align 8
  %34 = icmp ult i64 %32, %33
  br i1 %34, label %35, label %50

35:                                               ; preds = %31
  %36 = load ptr, ptr %8, align 8
  %37 = load i64, ptr %9, align 8
  %38 = load i64, ptr %11, align 8
  %39 = add i64 %37, %38
  %40 = call double @size_of(ptr noundef %36, i64 noundef %39)
  %41 = load ptr, ptr %6, align 8
  %42 = getelementptr inbounds %struct.known, ptr %41, i32 0, i32 0
  %43 = load i64, ptr %7, align 8
  %44 = getelementptr inbounds [128 x double], ptr %42, i64 0, i64 %43
  %45 = load double, ptr %44, align 8
  %46 = fmul double %45, %40
  store double %46, ptr %44, align 8
  br label %47

47:                                               ; preds = %35
  %48 = load i64, ptr %11, align 8
  %49 = add i64 %48, 1
  store i64 %49, ptr %11, align 8
  br label %31, !llvm.loop !54

50:                                               ; preds = %31
  ret void
}

; Function Attrs: nounwind uwtable
define internal i32 @same_star(ptr noundef %0, i64 noundef %1, ptr noundef %2, i64 noundef %3, i64 noundef %4) #0 {
  %6 = alloca i32, align 4
  %7 = alloca ptr, align 8
  %8 = alloca i64, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  %13 = alloca i64, align 8
  %14 = alloca i64, align 8
  store ptr %0, ptr %7, align 8
  store i64 %1, ptr %8, align 8
  store ptr %2, ptr %9, align 8
  store i64 %3, ptr %10, align 8
  store i64 %4, ptr %11, align 8
  %15 = load i64, ptr %11, align 8
  %16 = load ptr, ptr %7, align 8
  %17 = getelementptr inbounds %struct.known, ptr %16, i32 0, i32 4
  %18 = load i64, ptr %8, align 8
  %19 = getelementptr inbounds [128 x i64], ptr %17, i64 0, i64 %18
  %20 = load i64, ptr %19, align 8
  %21 = icmp ne i64 %15, %20
  br i1 %21, label %22, label %23

22:                                               ; preds = %5
  store i32 0, ptr %6, align 4
  br label %66

23:                                               ; preds = %5
  store i64 0, ptr %12, align 8
  br label %24

24:                                               ; preds = %62, %23
  %25 = load i64, ptr %12, align 8
  %26 = load i64, ptr %11, align 8
  %27 = icmp ult i64 %25, %26
  br i1 %27, label %28, label %65

28:                                               ; preds = %24
  %29 = load ptr, ptr %9, align 8
  %30 = getelementptr inbounds %struct.shape, ptr %29, i32 0, i32 1
  %31 = load i64, ptr %10, align 8
  %32 = load i64, ptr %12, align 8
  %33 = add i64 %31, %32
  %34 = getelementptr inbounds [33 x i64], ptr %30, i64 0, i64 %33
  %35 = load i64, ptr %34, align 8
  store i64 %35, ptr %13, align 8
  %36 = load ptr, ptr %7, align 8
  %37 = getelementptr inbounds %struct.known, ptr %36, i32 0, i32 2
  %38 = load i64, ptr %8, align 8
  %39 = getelementptr inbounds [128 x ptr], ptr %37, i64 0, i64 %38
  %40 = load ptr, ptr %39, align 8
  %41 = getelementptr inbounds %struct.shape, ptr %40, i32 0, i32 1
  %42 = load ptr, ptr %7, align 8
  %43 = getelementptr inbounds %struct.known, ptr %42, i32 0, i32 3
  %44 = load i64, ptr %8, align 8
  %45 = getelementptr inbounds [128 x i64], ptr %43, i64 0, i64 %44
  %46 = load i64, ptr %45, align 8
  %47 = load i64, ptr %12, align 8
  %48 = add i64 %46, %47
  %49 = getelementptr inbounds [33 x i64], ptr %41, i64 0, i64 %48
  %50 = load i64, ptr %49, align 8
  store i64 %50, ptr %14, align 8
  %51 = load i64, ptr %13, align 8
  %52 = icmp sge i64 %51, 0
  br i1 %52, label %53, label %61

53:                                               ; preds = %28
  %54 = load i64, ptr %14, align 8
  %55 = icmp sge i64 %54, 0
  br i1 %55, label %56, label %61

56:                                               ; preds = %53
  %57 = load i64, ptr %13, align 8
  %58 = load i64, ptr %14, align 8
  %59 = icmp ne i64 %57, %58
  br i1 %59, label %60, label %61

60:                                               ; preds = %56
  store i32 0, ptr %6, align 4
  br label %66

61:                                               ; preds = %56, %53, %28
  br label %62

62:                                               ; preds = %61
  %63 = load i64, ptr %12, align 8
  %64 = add i64 %63, 1
  store i64 %64, ptr %12, align 8
  br label %24, !llvm.loop !55

65:                                               ; preds = %24
  store i32 1, ptr %6, align 4
  br label %66

66:                                               ; preds = %65, %60, %22
  %67 = load i32, ptr %6, align 4
  ret i32 %67
}

; Function Attrs: nounwind uwtable
define internal i32 @shape_output(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) #0 {
  %5 = alloca i32, align 4
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca ptr, align 8
  %13 = alloca i64, align 8
  %14 = alloca double, align 8
  store ptr %0, ptr %6, align 8
  store ptr %1, ptr %7, align 8
  store ptr %2, ptr %8, align 8
  store ptr %3, ptr %9, align 8
  %15 = load ptr, ptr %9, align 8
  %16 = getelementptr inbounds %struct.shape, ptr %15, i32 0, i32 0
  store i64 0, ptr %16, align 8
  store i64 0, ptr %10, align 8
  br label %17

17:                                               ; preds = %167, %4
  %18 = load i64, ptr %10, align 8
  %19 = load ptr, ptr %7, align 8
  %20 = getelementptr inbounds %struct.tensor, ptr %19, i32 0, i32 3
  %21 = load i64, ptr %20, align 8
  %22 = icmp slt i64 %18, %21
  br i1 %22, label %23, label %170

23:                                               ; preds = %17
  %24 = load ptr, ptr %7, align 8
  %25 = getelementptr inbounds %struct.tensor, ptr %24, i32 0, i32 4
  %26 = load ptr, ptr %25, align 8
  %27 = load i64, ptr %10, align 8
  %28 = getelementptr inbounds %struct.dim, ptr %26, i64 %27
  store ptr %28, ptr %12, align 8
  %29 = load ptr, ptr %12, align 8
  %30 = getelementptr inbounds %struct.dim, ptr %29, i32 0, i32 0
  %31 = load i64, ptr %30, align 8
  %32 = icmp ne i64 %31, 0
  br i1 %32, label %33, label %41

33:                                               ; preds = %23
  %34 = load ptr, ptr %8, align 8
  %35 = getelementptr inbounds %struct.known, ptr %34, i32 0, i32 4
  %36 = load ptr, ptr %12, align 8
  %37 = getelementptr inbounds %struct.dim, ptr %36, i32 0, i32 2
  %38 = load i64, ptr %37, align 8
  %39 = getelementptr inbounds [128 x i64], ptr %35, i64 0, i64 %38
  %40 = load i64, ptr %39, align 8
  br label %42

41:                                               ; preds = %23
  br label %42

42:                                               ; preds = %41, %33
  %43 = phi i64 [ %40, %33 ], [ 1, %41 ]
  store i64 %43, ptr %13, align 8
  %44 = load ptr, ptr %9, align 8
  %45 = getelementptr inbounds %struct.shape, ptr %44, i32 0, i32 0
  %46 = load i64, ptr %45, align 8
  %47 = load i64, ptr %13, align 8
  %48 = add i64 %46, %47
  %49 = icmp ugt i64 %48, 32
  br i1 %49, label %50, label %58

50:                                               ; preds = %42
  %51 = load ptr, ptr %6, align 8
  %52 = getelementptr inbounds %struct.operator, ptr %51, i32 0, i32 0
  %53 = load ptr, ptr %52, align 8
  %54 = load ptr, ptr %7, align 8
  %55 = getelementptr inbounds %struct.tensor, ptr %54, i32 0, i32 0
  %56 = load ptr, ptr %55, align 8
  %57 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.73, ptr noundef %53, ptr noundef %56)
  store i32 %57, ptr %5, align 4
  br label %171

58:                                               ; preds = %42
  store i64 0, ptr %11, align 8
  br label %59

59:                                               ; preds = %159, %58
  %60 = load i64, ptr %11, align 8
  %61 = load i64, ptr %13, align 8
  %62 = icmp ult i64 %60, %61
  br i1 %62, label %63, label %166

63:                                               ; preds = %59
  %64 = load ptr, ptr %12, align 8
  %65 = getelementptr inbounds %struct.dim, ptr %64, i32 0, i32 0
  %66 = load i64, ptr %65, align 8
  %67 = icmp ne i64 %66, 0
  br i1 %67, label %68, label %86

68:                                               ; preds = %63
  %69 = load ptr, ptr %8, align 8
  %70 = getelementptr inbounds %struct.known, ptr %69, i32 0, i32 2
  %71 = load ptr, ptr %12, align 8
  %72 = getelementptr inbounds %struct.dim, ptr %71, i32 0, i32 2
  %73 = load i64, ptr %72, align 8
  %74 = getelementptr inbounds [128 x ptr], ptr %70, i64 0, i64 %73
  %75 = load ptr, ptr %74, align 8
  %76 = load ptr, ptr %8, align 8
  %77 = getelementptr inbounds %struct.known, ptr %76, i32 0, i32 3
  %78 = load ptr, ptr %12, align 8
  %79 = getelementptr inbounds %struct.dim, ptr %78, i32 0, i32 2
  %80 = load i64, ptr %79, align 8
  %81 = getelementptr inbounds [128 x i64], ptr %77, i64 0, i64 %80
  %82 = load i64, ptr %81, align 8
  %83 = load i64, ptr %11, align 8
  %84 = add i64 %82, %83
  %85 = call double @size_of(ptr noundef %75, i64 noundef %84)
  br label %92

86:                                               ; preds = %63
  %87 = load ptr, ptr %12, align 8
  %88 = getelementptr inbounds %struct.dim, ptr %87, i32 0, i32 3
  %89 = load ptr, ptr %88, align 8
  %90 = load ptr, ptr %8, align 8
  %91 = call double @eval_known(ptr noundef %89, ptr noundef %90)
  br label %92

92:                                               ; preds = %86, %68
  %93 = phi double [ %85, %68 ], [ %91, %86 ]
  store double %93, ptr %14, align 8
  %94 = load double, ptr %14, align 8
  %95 = fcmp oge double %94, 0.000000e+00
  br i1 %95, label %96, label %102

96:                                               ; preds = %92
  %97 = load double, ptr %14, align 8
  %98 = fcmp ole double %97, 0x4340000000000000
  br i1 %98, label %99, label %102

99:                                               ; preds = %96
  %100 = load double, ptr %14, align 8
  %101 = fptosi double %100 to i64
  br label %103

102:                                              ; preds = %96, %92
  br label %103

103:                                              ; preds = %102, %99
  %104 = phi i64 [ %101, %99 ], [ -1, %102 ]
  %105 = load ptr, ptr %9, align 8
  %106 = getelementptr inbounds %struct.shape, ptr %105, i32 0, i32 1
  %107 = load ptr, ptr %9, align 8
  %108 = getelementptr inbounds %struct.shape, ptr %107, i32 0, i32 0
  %109 = load i64, ptr %108, align 8
  %110 = getelementptr inbounds [33 x i64], ptr %106, i64 0, i64 %109
  store i64 %104, ptr %110, align 8
  %111 = load ptr, ptr %12, align 8
  %112 = getelementptr inbounds %struct.dim, ptr %111, i32 0, i32 0
  %113 = load i64, ptr %112, align 8
  %114 = icmp ne i64 %113, 0
  br i1 %114, label %115, label %135

115:                                              ; preds = %103
  %116 = load ptr, ptr %8, align 8
  %117 = getelementptr inbounds %struct.known, ptr %116, i32 0, i32 2
  %118 = load ptr, ptr %12, align 8
  %119 = getelementptr inbounds %struct.dim, ptr %118, i32 0, i32 2
  %120 = load i64, ptr %119, align 8
  %121 = getelementptr inbounds [128 x ptr], ptr %117, i64 0, i64 %120
  %122 = load ptr, ptr %121, align 8
  %123 = getelementptr inbounds %struct.shape, ptr %122, i32 0, i32 2
  %124 = load ptr, ptr %8, align 8
  %125 = getelementptr inbounds %struct.known, ptr %124, i32 0, i32 3
  %126 = load ptr, ptr %12, align 8
  %127 = getelementptr inbounds %struct.dim, ptr %126, i32 0, i32 2
  %128 = load i64, ptr %127, align 8
  %129 = getelementptr inbounds [128 x i64], ptr %125, i64 0, i64 %128
  %130 = load i64, ptr %129, align 8
  %131 = load i64, ptr %11, align 8
  %132 = add i64 %130, %131
  %133 = getelementptr inbounds [33 x ptr], ptr %123, i64 0, i64 %132
  %134 = load ptr, ptr %133, align 8
  br label %151

135:                                              ; preds = %103
  %136 = load ptr, ptr %12, align 8
  %137 = getelementptr inbounds %struct.dim, ptr %136, i32 0, i32 2
  %138 = load i64, ptr %137, align 8
  %139 = icmp sge i64 %138, 0
  br i1 %139, label %140, label %148

140:                                              ; preds = %135
  %141 = load ptr, ptr %8, align 8
  %142 = getelementptr inbounds %struct.known, ptr %141, i32 0, i32 1
  %143 = load ptr, ptr %12, align 8
  %144 = getelementptr inbounds %struct.dim, ptr %143, i32 0, i32 2
  %145 = load i64, ptr %144, align 8
  %146 = getelementptr inbounds [128 x ptr], ptr %142, i64 0, i64 %145
  %147 = load ptr, ptr %146, align 8
  br label %149

148:                                              ; preds = %135
  br label %149

149:                                              ; preds = %148, %140
  %150 = phi ptr [ %147, %140 ], [ null, %148 ]
  br label %151

151:                                              ; preds = %149, %115
  %152 = phi ptr [ %134, %115 ], [ %150, %149 ]
  %153 = load ptr, ptr %9, align 8
  %154 = getelementptr inbounds %struct.shape, ptr %153, i32 0, i32 2
  %155 = load ptr, ptr %9, align 8
  %156 = getelementptr inbounds %struct.shape, ptr %155, i32 0, i32 0
  %157 = load i64, ptr %156, align 8
  %158 = getelementptr inbounds [33 x ptr], ptr %154, i64 0, i64 %157
  store ptr %152, ptr %158, align 8
  br label %159

159:                                              ; preds = %151
  %160 = load i64, ptr %11, align 8
  %161 = add i64 %160, 1
  store i64 %161, ptr %11, align 8
  %162 = load ptr, ptr %9, align 8
  %163 = getelementptr inbounds %struct.shape, ptr %162, i32 0, i32 0
  %164 = load i64, ptr %163, align 8
  %165 = add i64 %164, 1
  store i64 %165, ptr %163, align 8
  br label %59, !llvm.loop !56

166:                                              ; preds = %59
  br label %167

167:                                              ; preds = %166
  %168 = load i64, ptr %10, align 8
  %169 = add nsw i64 %168, 1
  store i64 %169, ptr %10, align 8
  br label %17, !llvm.loop !57

170:                                              ; preds = %17
  store i32 0, ptr %5, align 4
  br label %171

171:                                              ; preds = %170, %50
  %172 = load i32, ptr %5, align 4
  ret i32 %172
}

; Function Attrs: nounwind uwtable
define internal void @share_ort(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %7 = load ptr, ptr %3, align 8
  store ptr %7, ptr %5, align 8
  %8 = load ptr, ptr %5, align 8
  %9 = getelementptr inbounds %struct.ort_threads, ptr %8, i32 0, i32 0
  %10 = load ptr, ptr %9, align 8
  %11 = getelementptr inbounds %struct.ort_api, ptr %10, i32 0, i32 35
  %12 = load ptr, ptr %11, align 8
  %13 = load ptr, ptr %5, align 8
  %14 = getelementptr inbounds %struct.ort_threads, ptr %13, i32 0, i32 1
  %15 = load ptr, ptr %14, align 8
  %16 = call i32 @processors()
  %17 = sext i32 %16 to i64
  %18 = load ptr, ptr %4, align 8
  %19 = call ptr %12(ptr noundef %15, ptr noundef @piece, i64 noundef %17, i64 noundef 0, ptr noundef %18)
  store ptr %19, ptr %6, align 8
  %20 = load ptr, ptr %6, align 8
  %21 = icmp ne ptr %20, null
  br i1 %21, label %23, label %22

22:                                               ; preds = %2
  br label %31

23:                                               ; preds = %2
  %24 = load ptr, ptr %5, align 8
  %25 = getelementptr inbounds %struct.ort_threads, ptr %24, i32 0, i32 0
  %26 = load ptr, ptr %25, align 8
  %27 = getelementptr inbounds %struct.ort_api, ptr %26, i32 0, i32 24
  %28 = load ptr, ptr %27, align 8
  %29 = load ptr, ptr %6, align 8
  call void %28(ptr noundef %29)
  %30 = load ptr, ptr %4, align 8
  call void @take(ptr noundef %30)
  br label %31

31:                                               ; preds = %23, %22
  ret void
}

; Function Attrs: nounwind uwtable
define internal i32 @put(ptr noundef %0, ptr noundef %1, double noundef %2, ptr noundef %3) #0 {
  %5 = alloca i32, align 4
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca double, align 8
  %9 = alloca ptr, align 8
  %10 = alloca float, align 4
  %11 = alloca i64, align 8
  %12 = alloca double, align 8
  store ptr %0, ptr %6, align 8
  store ptr %1, ptr %7, align 8
  store double %2, ptr %8, align 8
  store ptr %3, ptr %9, align 8
  %13 = load double, ptr %8, align 8
  %14 = fptrunc double %13 to float
  store float %14, ptr %10, align 4
  %15 = load ptr, ptr %7, align 8
  %16 = getelementptr inbounds %struct.argument, ptr %15, i32 0, i32 3
  %17 = load i64, ptr %16, align 8
  %18 = icmp slt i64 %17, 0
  br i1 %18, label %19, label %24

19:                                               ; preds = %4
  %20 = load ptr, ptr %7, align 8
  %21 = getelementptr inbounds %struct.argument, ptr %20, i32 0, i32 3
  %22 = load i64, ptr %21, align 8
  %23 = sub nsw i64 0, %22
  br label %28

24:                                               ; preds = %4
  %25 = load ptr, ptr %7, align 8
  %26 = getelementptr inbounds %struct.argument, ptr %25, i32 0, i32 3
  %27 = load i64, ptr %26, align 8
  br label %28

28:                                               ; preds = %24, %19
  %29 = phi i64 [ %23, %19 ], [ %27, %24 ]
  store i64 %29, ptr %11, align 8
  store double 1.000000e+00, ptr %12, align 8
  %30 = load ptr, ptr %9, align 8
  store i64 0, ptr %30, align 8
  %31 = load ptr, ptr %7, align 8
  %32 = getelementptr inbounds %struct.argument, ptr %31, i32 0, i32 3
  %33 = load i64, ptr %32, align 8
  %34 = icmp eq i64 %33, 132
  br i1 %34, label %35, label %37

35:                                               ; preds = %28
  %36 = load ptr, ptr %9, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %36, ptr align 4 %10, i64 4, i1 false)
  store i32 0, ptr %5, align 4
  br label %100

37:                                               ; preds = %28
  %38 = load ptr, ptr %7, align 8
  %39 = getelementptr inbounds %struct.argument, ptr %38, i32 0, i32 3
  %40 = load i64, ptr %39, align 8
  %41 = icmp eq i64 %40, 164
  br i1 %41, label %42, label %44

42:                                               ; preds = %37
  %43 = load ptr, ptr %9, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %43, ptr align 8 %8, i64 8, i1 false)
  store i32 0, ptr %5, align 4
  br label %100

44:                                               ; preds = %37
  br label %45

45:                                               ; preds = %57, %44
  %46 = load i64, ptr %11, align 8
  %47 = load ptr, ptr %7, align 8
  %48 = getelementptr inbounds %struct.argument, ptr %47, i32 0, i32 3
  %49 = load i64, ptr %48, align 8
  %50 = icmp sgt i64 %49, 0
  %51 = zext i1 %50 to i32
  %52 = sext i32 %51 to i64
  %53 = icmp sgt i64 %46, %52
  br i1 %53, label %54, label %60

54:                                               ; preds = %45
  %55 = load double, ptr %12, align 8
  %56 = fmul double %55, 2.000000e+00
  store double %56, ptr %12, align 8
  br label %57

57:                                               ; preds = %54
  %58 = load i64, ptr %11, align 8
  %59 = add nsw i64 %58, -1
  store i64 %59, ptr %11, align 8
  br label %45, !llvm.loop !58

60:                                               ; preds = %45
  %61 = load double, ptr %8, align 8
  %62 = load double, ptr %12, align 8
  %63 = fcmp olt double %61, %62
  br i1 %63, label %64, label %77

64:                                               ; preds = %60
  %65 = load double, ptr %8, align 8
  %66 = load ptr, ptr %7, align 8
  %67 = getelementptr inbounds %struct.argument, ptr %66, i32 0, i32 3
  %68 = load i64, ptr %67, align 8
  %69 = icmp sgt i64 %68, 0
  br i1 %69, label %70, label %73

70:                                               ; preds = %64
  %71 = load double, ptr %12, align 8
  %72 = fneg double %71
  br label %74

73:                                               ; preds = %64
  br label %74

74:                                               ; preds = %73, %70
  %75 = phi double [ %72, %70 ], [ 0.000000e+00, %73 ]
  %76 = fcmp oge double %65, %75
  br i1 %76, label %86, label %77

77:                                               ; preds = %74, %60
  %78 = load ptr, ptr %6, align 8
  %79 = getelementptr inbounds %struct.operator, ptr %78, i32 0, i32 0
  %80 = load ptr, ptr %79, align 8
  %81 = load ptr, ptr %7, align 8
  %82 = getelementptr inbounds %struct.argument, ptr %81, i32 0, i32 0
  %83 = load ptr, ptr %82, align 8
  %84 = load double, ptr %8, align 8
  %85 = call i32 (i32, ptr, ...) @fail(i32 noundef 1, ptr noundef @.str.74, ptr noundef %80, ptr noundef %83, double noundef %84)
  store i32 %85, ptr %5, align 4
  br label %100

86:                                               ; preds = %74
  %87 = load ptr, ptr %7, align 8
  %88 = getelementptr inbounds %struct.argument, ptr %87, i32 0, i32 3
  %89 = load i64, ptr %88, align 8
  %90 = icmp sgt i64 %89, 0
  br i1 %90, label %91, label %95

91:                                               ; preds = %86
  %92 = load double, ptr %8, align 8
  %93 = fptosi double %92 to i64
  %94 = load ptr, ptr %9, align 8
  store i64 %93, ptr %94, align 8
  br label %99

95:                                               ; preds = %86
  %96 = load double, ptr %8, align 8
  %97 = fptoui double %96 to i64
  %98 = load ptr, ptr %9, align 8
  store i64 %97, ptr %98, align 8
  br label %99

99:                                               ; preds = %95, %91
  store i32 0, ptr %5, align 4
  br label %100

100:                                              ; preds = %99, %77, %42, %35
  %101 = load i32, ptr %5, align 4
  ret i32 %101
}

; Function Attrs: nounwind uwtable
define internal void @piece(ptr noundef %0, i64 noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %5 = load i64, ptr %4, align 8
  %6 = load ptr, ptr %3, align 8
  call void @take(ptr noundef %6)
  ret void
}

; Function Attrs: nounwind uwtable
define internal ptr @infer_output(ptr noundef %0, ptr noundef %1, i64 noundef %2, i32 noundef %3, ptr noundef %4, ptr noundef %5) #0 {
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i64, align 8
  %11 = alloca i32, align 4
  %12 = alloca ptr, align 8
  %13 = alloca ptr, align 8
  %14 = alloca ptr, align 8
  %15 = alloca ptr, align 8
  %16 = alloca %struct.shape, align 8
  %17 = alloca i64, align 8
  store ptr %0, ptr %8, align 8
  store ptr %1, ptr %9, align 8
  store i64 %2, ptr %10, align 8
  store i32 %3, ptr %11, align 4
  store ptr %4, ptr %12, align 8
  store ptr %5, ptr %13, align 8
  store ptr null, ptr %14, align 8
  %18 = load ptr, ptr %8, align 8
  %19 = load ptr, ptr %9, align 8
  %20 = load ptr, ptr %12, align 8
  %21 = call i32 @shape_output(ptr noundef %18, ptr noundef %19, ptr noundef %20, ptr noundef %16)
  %22 = icmp ne i32 %21, 0
  br i1 %22, label %23, label %24

23:                                               ; preds = %6
  store ptr null, ptr %7, align 8
  br label %124

24:                                               ; preds = %6
  store i64 0, ptr %17, align 8
  br label %25

25:                                               ; preds = %67, %24
  %26 = load i64, ptr %17, align 8
  %27 = getelementptr inbounds %struct.shape, ptr %16, i32 0, i32 0
  %28 = load i64, ptr %27, align 8
  %29 = icmp ult i64 %26, %28
  br i1 %29, label %30, label %70

30:                                               ; preds = %25
  %31 = getelementptr inbounds %struct.shape, ptr %16, i32 0, i32 1
  %32 = load i64, ptr %17, align 8
  %33 = getelementptr inbounds [33 x i64], ptr %31, i64 0, i64 %32
  %34 = load i64, ptr %33, align 8
  %35 = icmp slt i64 %34, 0
  br i1 %35, label %36, label %50

36:                                               ; preds = %30
  %37 = getelementptr inbounds %struct.shape, ptr %16, i32 0, i32 2
  %38 = load i64, ptr %17, align 8
  %39 = getelementptr inbounds [33 x ptr], ptr %37, i64 0, i64 %38
  %40 = load ptr, ptr %39, align 8
  %41 = icmp ne ptr %40, null
  br i1 %41, label %42, label %49

42:                                               ; preds = %36
  %43 = getelementptr inbounds %struct.shape, ptr %16, i32 0, i32 2
  %44 = load i64, ptr %17, align 8
  %45 = getelementptr inbounds [33 x ptr], ptr %43, i64 0, i64 %44
  %46 = load ptr, ptr %45, align 8
  %47 = load i8, ptr %46, align 1
  %48 = icmp ne i8 %47, 0
  br i1 %48, label %50, label %49

49:                                               ; preds = %42, %36
  store ptr null, ptr %7, align 8
  br label %124

50:                                               ; preds = %42, %30
  %51 = getelementptr inbounds %struct.shape, ptr %16, i32 0, i32 2
  %52 = load i64, ptr %17, align 8
  %53 = getelementptr inbounds [33 x ptr], ptr %51, i64 0, i64 %52
  %54 = load ptr, ptr %53, align 8
  %55 = icmp ne ptr %54, null
  br i1 %55, label %56, label %62

56:                                               ; preds = %50
  %57 = getelementptr inbounds %struct.shape, ptr %16, i32 0, i32 1
  %58 = load i64, ptr %17, align 8
  %59 = getelementptr inbounds [33 x i64], ptr %57, i64 0, i64 %58
  %60 = load i64, ptr %59, align 8
  %61 = icmp sge i64 %60, 0
  br i1 %61, label %62, label %66

62:                                               ; preds = %56, %50
  %63 = getelementptr inbounds %struct.shape, ptr %16, i32 0, i32 2
  %64 = load i64, ptr %17, align 8
  %65 = getelementptr inbounds [33 x ptr], ptr %63, i64 0, i64 %64
  store ptr @.str.68, ptr %65, align 8
  br label %66

66:                                               ; preds = %62, %56
  br label %67

67:                                               ; preds = %66
  %68 = load i64, ptr %17, align 8
  %69 = add i64 %68, 1
  store i64 %69, ptr %17, align 8
  br label %25, !llvm.loop !59

70:                                               ; preds = %25
  %71 = load ptr, ptr @ort, align 8
  %72 = getelementptr inbounds %struct.ort_api, ptr %71, i32 0, i32 8
  %73 = load ptr, ptr %72, align 8
  %74 = call ptr %73(ptr noundef %14)
  store ptr %74, ptr %15, align 8
  %75 = icmp eq ptr %74, null
  br i1 %75, label %76, label %114

76:                                               ; preds = %70
  %77 = load ptr, ptr @ort, align 8
  %78 = getelementptr inbounds %struct.ort_api, ptr %77, i32 0, i32 9
  %79 = load ptr, ptr %78, align 8
  %80 = load ptr, ptr %14, align 8
  %81 = load i32, ptr %11, align 4
  %82 = call ptr %79(ptr noundef %80, i32 noundef %81)
  store ptr %82, ptr %15, align 8
  %83 = icmp eq ptr %82, null
  br i1 %83, label %84, label %114

84:                                               ; preds = %76
  %85 = load ptr, ptr @ort, align 8
  %86 = getelementptr inbounds %struct.ort_api, ptr %85, i32 0, i32 10
  %87 = load ptr, ptr %86, align 8
  %88 = load ptr, ptr %14, align 8
  %89 = getelementptr inbounds %struct.shape, ptr %16, i32 0, i32 1
  %90 = getelementptr inbounds [33 x i64], ptr %89, i64 0, i64 0
  %91 = getelementptr inbounds %struct.shape, ptr %16, i32 0, i32 0
  %92 = load i64, ptr %91, align 8
  %93 = call ptr %87(ptr noundef %88, ptr noundef %90, i64 noundef %92)
  store ptr %93, ptr %15, align 8
  %94 = icmp eq ptr %93, null
  br i1 %94, label %95, label %114

95:                                               ; preds = %84
  %96 = load ptr, ptr @ort, align 8
  %97 = getelementptr inbounds %struct.ort_api, ptr %96, i32 0, i32 33
  %98 = load ptr, ptr %97, align 8
  %99 = load ptr, ptr %14, align 8
  %100 = getelementptr inbounds %struct.shape, ptr %16, i32 0, i32 2
  %101 = getelementptr inbounds [33 x ptr], ptr %100, i64 0, i64 0
  %102 = getelementptr inbounds %struct.shape, ptr %16, i32 0, i32 0
  %103 = load i64, ptr %102, align 8
  %104 = call ptr %98(ptr noundef %99, ptr noundef %101, i64 noundef %103)
  store ptr %104, ptr %15, align 8
  %105 = icmp eq ptr %104, null
  br i1 %105, label %106, label %114

106:                                              ; preds = %95
  %107 = load ptr, ptr @ort, align 8
  %108 = getelementptr inbounds %struct.ort_api, ptr %107, i32 0, i32 32
  %109 = load ptr, ptr %108, align 8
  %110 = load ptr, ptr %13, align 8
  %111 = load i64, ptr %10, align 8
  %112 = load ptr, ptr %14, align 8
  %113 = call ptr %109(ptr noundef %110, i64 noundef %111, ptr noundef %112)
  store ptr %113, ptr %15, align 8
  br label %114

114:                                              ; preds = %106, %95, %84, %76, %70
  %115 = load ptr, ptr %14, align 8
  %116 = icmp ne ptr %115, null
  br i1 %116, label %117, label %122

117:                                              ; preds = %114
  %118 = load ptr, ptr @ort, align 8
  %119 = getelementptr inbounds %struct.ort_api, ptr %118, i32 0, i32 26
  %120 = load ptr, ptr %119, align 8
  %121 = load ptr, ptr %14, align 8
  call void %120(ptr noundef %121)
  br label %122

122:                                              ; preds = %117, %114
  %123 = load ptr, ptr %15, align 8
  store ptr %123, ptr %7, align 8
  br label %124

124:                                              ; preds = %122, %49, %23
  %125 = load ptr, ptr %7, align 8
  ret ptr %125
}

attributes #0 = { nounwind uwtable "frame-pointer"="non-leaf-no-reserve" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind "frame-pointer"="non-leaf-no-reserve" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #3 = { "frame-pointer"="non-leaf-no-reserve" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #4 = { nounwind willreturn memory(read) "frame-pointer"="non-leaf-no-reserve" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #5 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #6 = { nounwind allocsize(1) "frame-pointer"="non-leaf-no-reserve" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #7 = { nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #8 = { nounwind allocsize(0) "frame-pointer"="non-leaf-no-reserve" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #9 = { nocallback nofree nosync nounwind willreturn }
attributes #10 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #11 = { nounwind allocsize(0,1) "frame-pointer"="non-leaf-no-reserve" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #12 = { nounwind }
attributes #13 = { nounwind willreturn memory(read) }
attributes #14 = { nounwind allocsize(0,1) }
attributes #15 = { nounwind allocsize(1) }
attributes #16 = { nounwind allocsize(0) }

!llvm.module.flags = !{!0, !1, !2, !3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"uwtable", i32 2}
!3 = !{i32 7, !"frame-pointer", i32 4}
!4 = distinct !{!4, !5, !6}
!5 = !{!"llvm.loop.mustprogress"}
!6 = !{!"llvm.loop.unroll.disable"}
!7 = distinct !{!7, !5, !6}
!8 = distinct !{!8, !5, !6}
!9 = distinct !{!9, !5, !6}
!10 = distinct !{!10, !5, !6}
!11 = distinct !{!11, !5, !6}
!12 = distinct !{!12, !5, !6}
!13 = distinct !{!13, !5, !6}
!14 = distinct !{!14, !5, !6}
!15 = distinct !{!15, !5, !6}
!16 = distinct !{!16, !5, !6}
!17 = distinct !{!17, !5, !6}
!18 = distinct !{!18, !5, !6}
!19 = distinct !{!19, !5, !6}
!20 = distinct !{!20, !5, !6}
!21 = distinct !{!21, !5, !6}
!22 = distinct !{!22, !5, !6}
!23 = distinct !{!23, !5, !6}
!24 = distinct !{!24, !5, !6}
!25 = distinct !{!25, !5, !6}
!26 = distinct !{!26, !5, !6}
!27 = distinct !{!27, !5, !6}
!28 = distinct !{!28, !5, !6}
!29 = distinct !{!29, !5, !6}
!30 = distinct !{!30, !5, !6}
!31 = distinct !{!31, !5, !6}
!32 = distinct !{!32, !5, !6}
!33 = distinct !{!33, !5, !6}
!34 = distinct !{!34, !5, !6}
!35 = distinct !{!35, !5, !6}
!36 = distinct !{!36, !5, !6}
!37 = distinct !{!37, !5, !6}
!38 = distinct !{!38, !5, !6}
!39 = distinct !{!39, !5, !6}
!40 = distinct !{!40, !6}
!41 = distinct !{!41, !5, !6}
!42 = distinct !{!42, !5, !6}
!43 = distinct !{!43, !5, !6}
!44 = distinct !{!44, !5, !6}
!45 = distinct !{!45, !5, !6}
!46 = distinct !{!46, !5, !6}
!47 = distinct !{!47, !5, !6}
!48 = distinct !{!48, !5, !6}
!49 = distinct !{!49, !5, !6}
!50 = distinct !{!50, !5, !6}
!51 = distinct !{!51, !5, !6}
!52 = distinct !{!52, !5, !6}
!53 = distinct !{!53, !5, !6}
!54 = distinct !{!54, !5, !6}
!55 = distinct !{!55, !5, !6}
!56 = distinct !{!56, !5, !6}
!57 = distinct !{!57, !5, !6}
!58 = distinct !{!58, !5, !6}
!59 = distinct !{!59, !5, !6}
