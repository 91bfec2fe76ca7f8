; gfx942: two waves load a word by a scalar load, and then a thread of the second stores another in its place.
  s_mov_b32 s0, 0
  s_mov_b32 s1, 0x7f00
  s_load_dword s4, s[0:1], 0x400
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_mov_b32 v1, s4
  v_add_u32 v1, v1, v0
  v_lshlrev_b32 v2, 2, v0
  global_store_dword v2, v1, s[0:1] offset:2048
  v_cmp_eq_u32 vcc, 0x40, v0
  s_and_saveexec_b64 s[6:7], vcc
  v_mov_b32 v3, 0
  global_store_dword v3, v1, s[0:1] offset:1024
  s_endpgm
