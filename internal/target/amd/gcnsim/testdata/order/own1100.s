; gfx1100: a wave stores, loads what it stored, and stores there again.
  v_lshlrev_b32 v1, 2, v0
  s_mov_b32 s0, 0
  s_mov_b32 s1, 0x7f00
  global_store_b32 v1, v0, s[0:1] offset:1024
  s_waitcnt_vscnt null, 0x0
  global_load_b32 v3, v1, s[0:1] offset:1024
  global_store_b32 v1, v1, s[0:1] offset:1024
  s_waitcnt vmcnt(0)
  global_store_b32 v1, v3, s[0:1] offset:2048
  s_endpgm
