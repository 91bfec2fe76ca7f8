// What flows through loops, branches and calls.
tt.func @loop(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %step: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %start = tt.addptr %base, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32> // 32/16/1
  %s = tt.splat %step : i32 -> tensor<32xi32>
  // The pointer moves by a multiple of 8 floats each time round.
  %end = scf.for %i = %c0 to %n step %c32 iter_args(%q = %start) -> (tensor<32x!tt.ptr<f32>>) : i32 { // 32/16/1
    %iv = arith.addi %i, %c0 : i32 // 1/32/1
    %q2 = tt.addptr %q, %s : tensor<32x!tt.ptr<f32>>, tensor<32xi32> // 32/16/1
    scf.yield %q2 : tensor<32x!tt.ptr<f32>>
  }
  // By one: the alignment goes, the contiguity stays.
  %one = tt.splat %c1 : i32 -> tensor<32xi32>
  %end1 = scf.for %i = %c0 to %n step %c1 iter_args(%q = %start) -> (tensor<32x!tt.ptr<f32>>) : i32 { // 32/4/1
    %q2 = tt.addptr %q, %one : tensor<32x!tt.ptr<f32>>, tensor<32xi32> // 32/4/1
    scf.yield %q2 : tensor<32x!tt.ptr<f32>>
  }
  // Swapped each time round: what is not the same in both is lost.
  %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0, %y = %c32) -> (i32, i32) : i32 { // 1/32/1; 1/32/1
    scf.yield %y, %x : i32, i32
  }
  tt.return
}

tt.func @branches(%cond: i1, %n: i32 {tt.divisibility = 16 : i32}) {
  %c8 = arith.constant 8 : i32
  %c0 = arith.constant 0 : i32
  %x = scf.if %cond -> (i32) { // 1/8/1
    scf.yield %n : i32
  } else {
    scf.yield %c8 : i32
  }
  %same = scf.if %cond -> (i32) { // 1/8/1 =8
    scf.yield %c8 : i32
  } else {
    scf.yield %c8 : i32
  }
  %w = scf.while (%i = %n) : (i32) -> i32 { // 1/8/1
    %go = arith.cmpi sgt, %i, %c0 : i32
    scf.condition(%go) %i : i32
  } do {
  ^bb0(%j: i32):
    %k = arith.subi %j, %c8 : i32 // 1/8/1
    scf.yield %k : i32
  }
  tt.return
}

tt.func @blocks(%cond: i1, %n: i32 {tt.divisibility = 64 : i32}) -> i32 {
  %c16 = arith.constant 16 : i32
  cf.cond_br %cond, ^bb1(%n : i32), ^bb2(%c16 : i32)
^bb1(%x: i32):
  %y = arith.addi %x, %c16 : i32 // 1/16/1
  cf.cond_br %cond, ^bb1(%y : i32), ^bb2(%y : i32)
^bb2(%z: i32):
  %w = arith.addi %z, %n : i32 // 1/16/1
  tt.return %w : i32
}

tt.func private @callee(%n: i32, %m: i32 {tt.divisibility = 16 : i32}) -> i32 attributes {noinline = true} {
  %x = arith.addi %n, %n : i32 // 1/8/1
  %y = arith.addi %m, %m : i32 // 1/16/1
  tt.return %x : i32
}

tt.func @caller(%a: i32 {tt.divisibility = 8 : i32}) {
  %c16 = arith.constant 16 : i32
  %x = tt.call @callee(%a, %a) : (i32, i32) -> i32 // 1/1/1
  %y = tt.call @callee(%c16, %a) : (i32, i32) -> i32
  tt.return
}
