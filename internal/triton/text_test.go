package triton

import "testing"

func TestText(t *testing.T) {
	for _, c := range []struct{ older, newer string }{
		{"    gpu.barrier\n", "    ttg.barrier all\n"},
		{"    %1 = tt.load %0 : !tt.ptr<f16>\n", "    %1 = tt.load %0 : !tt.ptr<f16>\n"},
		{"    %22 = tt.load %20, %18, %21 cacheModifier = cg evictionPolicy = evict_last : " +
			"tensor<128x!tt.ptr<f16>>\n",
			"    %22 = tt.load %20, %18, %21 {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = " +
				"evict_last>} : tensor<128x!tt.ptr<f16>>\n"},
		{"    tt.store %32, %33 cacheModifier = cs : tensor<128x!tt.ptr<bf16>>\n",
			"    tt.store %32, %33 {cachePolicy = #tt.cache_policy<cache_modifier = cs, eviction_policy = " +
				"evict_normal>} : tensor<128x!tt.ptr<bf16>>\n"},
		{"    %1 = tt.load %0 evictionPolicy = evict_first {isVolatile = true} : !tt.ptr<f16>\n",
			"    %1 = tt.load %0 {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = " +
				"evict_first>, isVolatile = true} : !tt.ptr<f16>\n"},
	} {
		if got := string(Newer(V39, []byte(c.older))); got != c.newer {
			t.Errorf("3.9 writes\n%swant\n%s", got, c.newer)
		}
		if got := string(Older([]byte(c.newer))); got != c.older {
			t.Errorf("3.6 writes\n%swant\n%s", got, c.older)
		}
	}
	for _, c := range [][2]string{
		{`%19 = tt.splat %arg0 : !tt.ptr<f16, "constant"> -> tensor<128x!tt.ptr<f16, "constant">>`,
			`%19 = tt.splat %arg0 : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>`},
		{`%p: !tt.ptr<f32, "shared">`, `%p: !tt.ptr<f32, 3>`},
	} {
		if got := string(Older([]byte(c[0]))); got != c[1] {
			t.Errorf("%s, want %s", got, c[1])
		}
	}
}
