; gfx942: each wave puts a number of its own into LDS, all add them, and use the place again.
  v_mbcnt_lo_u32_b32 v1, -1, 0
  v_mbcnt_hi_u32_b32 v1, -1, v1
  v_lshrrev_b32 v2, 6, v0
  v_lshlrev_b32 v3, 2, v2
  v_mov_b32 v8, 0
  ds_write_b32 v3, v2
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v4, v8
  ds_read_b32 v5, v8 offset:4
  s_waitcnt lgkmcnt(0)
  v_add_u32 v6, v4, v5
  s_barrier
  v_lshlrev_b32 v7, 1, v6
  ds_write_b32 v3, v7
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b64 v[4:5], v8
  s_waitcnt lgkmcnt(0)
  v_add_u32 v6, v4, v5
  s_mov_b32 s0, 0
  s_mov_b32 s1, 0x7f00
  v_lshlrev_b32 v1, 2, v0
  global_store_dword v1, v6, s[0:1]
  s_endpgm
