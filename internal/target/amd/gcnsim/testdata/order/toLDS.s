; gfx942: loads from global memory to LDS, twice into the same places, read by the other wave.
  v_lshlrev_b32 v1, 2, v0
  v_xor_b32 v2, 0x100, v1
  v_and_b32 v3, 0x100, v1
  v_readfirstlane_b32 s5, v3
  s_mov_b32 m0, s5
  s_mov_b32 s0, 0
  s_mov_b32 s1, 0x7f00
  global_load_lds_dword v1, s[0:1]
  s_waitcnt vmcnt(0)
  s_barrier
  ds_read_b32 v4, v2
  ds_read_b32 v5, v1
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_add_u32 v1, 0x200, v1
  global_load_lds_dword v1, s[0:1]
  s_waitcnt vmcnt(0)
  s_barrier
  ds_read_b32 v6, v2
  s_waitcnt lgkmcnt(0)
  v_add_u32 v6, v4, v6
  global_store_dword v1, v6, s[0:1] offset:1024
  s_endpgm
