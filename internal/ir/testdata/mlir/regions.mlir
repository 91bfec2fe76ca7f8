// Regions, blocks, successors, value names.
func.func @blocks(%c: i1, %x: i32) -> i32 {
  cf.cond_br %c, ^a(%x : i32), ^b
^a(%y: i32):
  cf.br ^c(%y : i32)
^b:
  %z = arith.constant 3 : i32
  cf.cond_br %c, ^c(%z : i32), ^c(%x : i32)
^c(%r: i32):
  return %r : i32
^dead:
  cf.br ^dead2
^dead2:
  return %x : i32
}
func.func private @declared(i32 {a.b = 1 : i32}, f32) -> (i32 {c.d}, f32)
func.func @loops(%n: index, %t: tensor<4xf32>) -> tensor<4xf32> attributes {foo.bar = 3 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a, %b = "mine.two"() : () -> (i32, i32)
  %m:3 = "mine.three"() : () -> (i32, i32, i32)
  "mine.use"(%a, %b, %m#0, %m#2) : (i32, i32, i32, i32) -> ()
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %t) -> (tensor<4xf32>) {
    %k = scf.for %j = %c0 to %i step %c1 iter_args(%acc2 = %acc) -> (tensor<4xf32>) {
      %s = arith.addf %acc2, %acc2 : tensor<4xf32>
      scf.yield %s : tensor<4xf32>
    }
    %d = arith.mulf %k, %k : tensor<4xf32>
    scf.yield %d : tensor<4xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    "mine.inside"(%i) : (index) -> ()
  }
  return %r : tensor<4xf32>
}
"mine.region"() ({
}, {
^bb0:
}, {
^bb0(%a: i32, %b: f32):
  "mine.br"(%a)[^bb1, ^bb2] : (i32) -> ()
^bb1:
  "mine.br"()[^bb2] : () -> ()
^bb2:
  "mine.end"(%b) : (f32) -> ()
}) {x = 1 : i32} : () -> ()
module @named attributes {my.a = 1 : i32} {
  module {
  }
}
