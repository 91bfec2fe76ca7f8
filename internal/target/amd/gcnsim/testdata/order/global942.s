; gfx942: waves exchange words through global memory. They share a cache, so that a barrier orders stores that
; are under way.
  v_lshlrev_b32 v1, 2, v0
  v_xor_b32 v2, 0x100, v1
  s_mov_b32 s0, 0
  s_mov_b32 s1, 0x7f00
  global_store_dword v1, v0, s[0:1] offset:1024
  s_waitcnt vmcnt(0)
  s_barrier
  global_load_dword v3, v2, s[0:1] offset:1024
  s_waitcnt vmcnt(0)
  global_store_dword v1, v3, s[0:1] offset:2048
  s_endpgm
