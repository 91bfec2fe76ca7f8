; gfx942: two waves sum three tiles of global memory through two buffers of LDS. Each wave loads a half of a
; tile and adds the other wave's half, so that both read what the other wrote.
  v_lshlrev_b32 v1, 2, v0          ; the thread's place: 512 bytes of a buffer
  v_xor_b32 v2, 0x100, v1          ; the other wave's
  s_mov_b32 s0, 0
  s_mov_b32 s1, 0x7f00
  v_mov_b32 v5, 0
  global_load_dword v3, v1, s[0:1]
  s_mov_b32 s4, 0
loop:
  global_load_dword v4, v1, s[0:1] offset:512
  s_waitcnt vmcnt(1)
  ds_write_b32 v1, v3
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v6, v2
  s_waitcnt lgkmcnt(0)
  v_add_u32 v5, v5, v6
  global_load_dword v3, v1, s[0:1] offset:1024
  s_waitcnt vmcnt(1)
  ds_write_b32 v1, v4 offset:512
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v7, v2 offset:512
  s_waitcnt lgkmcnt(0)
  v_add_u32 v5, v5, v7
  s_add_u32 s4, s4, 1
  s_cmp_lt_u32 s4, 2
  s_cbranch_scc1 loop
  global_store_dword v1, v5, s[0:1] offset:2048
  s_waitcnt vmcnt(0)
  s_endpgm
