// Contiguity/divisibility/constancy of each value; see TestFacts.
tt.func @ints(%n: i32 {tt.divisibility = 16 : i32}, %k: i32) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32> // 64/2^30/1
  %r4 = tt.make_range {start = 4 : i32, end = 68 : i32} : tensor<64xi32> // 64/4/1
  %c6 = arith.constant dense<6> : tensor<64xi32> // 1/2/64 =6
  %c8 = arith.constant dense<8> : tensor<64xi32> // 1/8/64 =8
  %c1 = arith.constant dense<1> : tensor<64xi32> // 1/1/64 =1
  %zero = arith.constant dense<0> : tensor<64xi32> // 1/max/64 =0
  %neg = arith.constant dense<-8> : tensor<64xi32> // 1/8/64 =-8
  %a = arith.addi %r, %c6 : tensor<64xi32> // 64/2/1
  %s = arith.subi %c8, %r : tensor<64xi32> // 1/1/1
  %s2 = arith.subi %r4, %c8 : tensor<64xi32> // 64/4/1
  %m = arith.muli %r, %c8 : tensor<64xi32> // 1/8/1
  %m1 = arith.muli %r4, %c1 : tensor<64xi32> // 64/4/1
  %m0 = arith.muli %r, %zero : tensor<64xi32> // 1/max/64 =0
  %d = arith.divsi %r, %c8 : tensor<64xi32> // 1/1/8
  %rem = arith.remsi %r, %c8 : tensor<64xi32> // 8/8/1
  %rem1 = arith.remsi %r4, %c1 : tensor<64xi32> // 1/max/64 =0
  %sn = tt.splat %n : i32 -> tensor<64xi32> // 1/16/64
  %sk = tt.splat %k : i32 -> tensor<64xi32> // 1/1/64
  %an = arith.addi %sn, %r : tensor<64xi32> // 64/16/1
  %dn = arith.divsi %an, %c8 : tensor<64xi32> // 1/1/8
  %lt = arith.cmpi slt, %r, %sn : tensor<64xi32> // 1/1/16
  %ltk = arith.cmpi slt, %r, %sk : tensor<64xi32> // 1/1/1
  %gt = arith.cmpi sgt, %sn, %r : tensor<64xi32> // 1/1/16
  %le = arith.cmpi sle, %r, %sn : tensor<64xi32> // 1/1/1
  %known = arith.cmpi slt, %c6, %c8 : tensor<64xi32> // 1/1/64 =1
  %unsigned = arith.cmpi ult, %neg, %c8 : tensor<64xi32> // 1/1/64 =0
  %and = arith.andi %lt, %gt : tensor<64xi1> // 1/1/16
  %sel = arith.select %lt, %r, %an : tensor<64xi1>, tensor<64xi32> // 16/16/1
  %sel2 = arith.select %known, %r, %zero : tensor<64xi1>, tensor<64xi32> // 64/2^30/1
  %mx = arith.maxsi %r, %r4 : tensor<64xi32> // 64/4/1
  %c2 = arith.constant dense<2> : tensor<64xi32> // 1/2/64 =2
  %sh = arith.shli %sn, %c2 : tensor<64xi32> // 1/64/64
  %shr = arith.shrsi %sn, %c2 : tensor<64xi32> // 1/4/64
  %ext = arith.extsi %an : tensor<64xi32> to tensor<64xi64> // 64/16/1
  %tr = arith.trunci %neg : tensor<64xi32> to tensor<64xi8> // 1/8/64 =-8
  %zx = arith.extui %tr : tensor<64xi8> to tensor<64xi32> // 1/8/64 =248
  %f = arith.constant dense<0.0> : tensor<64xf32> // 1/1/64
  tt.return
}

tt.func @pointers(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32>, %stride: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32> // 32/2^30/1
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32> // 32,1/2^30,1/1,1
  %col = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32> // 1,32/1,2^30/1,1
  %s = tt.splat %stride : i32 -> tensor<32x1xi32> // 1,1/16,16/32,1
  %off = arith.muli %row, %s : tensor<32x1xi32> // 1,1/16,16/1,1
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>> // 1,1/16,16/32,1
  %rows = tt.addptr %base, %off : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32> // 1,1/16,16/1,1
  %wide = tt.broadcast %rows : tensor<32x1x!tt.ptr<f16>> -> tensor<32x32x!tt.ptr<f16>> // 1,1/16,16/1,32
  %cols = tt.broadcast %col : tensor<1x32xi32> -> tensor<32x32xi32> // 1,32/1,2^30/32,1
  %ptrs = tt.addptr %wide, %cols : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32> // 1,32/2,16/1,1
  %t = tt.trans %ptrs {order = array<i32: 1, 0>} : tensor<32x32x!tt.ptr<f16>> -> tensor<32x32x!tt.ptr<f16>> // 32,1/16,2/1,1
  %x = tt.load %wide : tensor<32x32x!tt.ptr<f16>> // 1,1/1,1/1,32
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>> // 1/1/32
  %qp = tt.addptr %qs, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32> // 32/1/1
  %c4 = arith.constant 4 : i32
  %p4 = tt.addptr %p, %c4 : !tt.ptr<f16>, i32 // 1/8/1
  tt.return
}

tt.func @hints(%k: i32, %hinted: tensor<16x16xi32> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<[1, 4]> : tensor<2xi32>}) {
  %m = arith.muli %k, %k {tt.divisibility = dense<32> : tensor<1xi32>} : i32 // 1/32/1
  %s = tt.splat %m : i32 -> tensor<16xi32> // 1/32/16
  %o = arith.addi %s, %s {tt.contiguity = dense<[4]> : tensor<1xi32>, tt.constancy = dense<[2]> : tensor<1xi32>} : tensor<16xi32> // 4/32/2
  %c = arith.constant dense<4> : tensor<16x16xi32>
  %h = arith.addi %hinted, %c : tensor<16x16xi32> // 1,8/1,4/1,1
  tt.return
}
