// A graph region: a value is used before it is defined.
"mine.graph"() ({
  %0 = "mine.a"(%1) : (i32) -> i32
  %1 = "mine.b"(%0) : (i32) -> i32
}) : () -> ()
