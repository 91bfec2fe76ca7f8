; gfx942: atomics on LDS and on global memory, scalar loads, and an access that finds out which memory it is.
  s_mov_b32 s0, 0
  s_mov_b32 s1, 0x7f00
  s_load_dword s4, s[0:1], 0x0
  s_load_dword s5, s[0:1], 0x200
  v_mov_b32 v1, 0
  v_mov_b32 v2, 1
  v_mov_b32 v8, 0
  v_mov_b32 v9, 0x7f00
  v_lshlrev_b32 v10, 2, v0
  s_waitcnt lgkmcnt(0)
  s_add_u32 s4, s4, s5
  v_cmp_eq_u32 vcc, 0, v0
  s_and_saveexec_b64 s[6:7], vcc
  ds_write_b32 v1, v1
  s_mov_b64 exec, s[6:7]
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_add_u32 v1, v2
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v3, v1
  flat_load_dword v4, v[8:9]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_add_u32 v3, v3, v4
  v_add_u32 v3, s4, v3
  global_atomic_add v5, v1, v2, s[0:1] offset:1024 sc0
  s_waitcnt vmcnt(0)
  v_sub_u32 v5, v5, v5
  v_add_u32 v3, v3, v5
  global_store_dword v10, v3, s[0:1] offset:2048
  s_endpgm
