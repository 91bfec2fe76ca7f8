; gfx1100: waves that may run on different processors exchange words through global memory.
  v_lshlrev_b32 v1, 2, v0
  v_xor_b32 v2, 0x80, v1
  s_mov_b32 s0, 0
  s_mov_b32 s1, 0x7f00
  global_load_b32 v4, v2, s[0:1] offset:1024
  s_waitcnt vmcnt(0)
  s_barrier
  global_store_b32 v1, v0, s[0:1] offset:1024
  s_waitcnt_vscnt null, 0x0
  s_barrier
  buffer_gl0_inv
  global_load_b32 v3, v2, s[0:1] offset:1024
  s_waitcnt vmcnt(0)
  v_add_nc_u32 v3, v3, v4
  global_store_b32 v1, v3, s[0:1] offset:2048
  s_endpgm
