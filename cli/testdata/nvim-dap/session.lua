-- A session of nvim-dap with nereid debug, without a screen: a breakpoint with a condition, a step into a call, out
-- of it, back, and the end. What the client saw is written to the file that DAP_LOG names.
local dap = require("dap")
local log = io.open(os.getenv("DAP_LOG"), "w")
local function note(what) log:write(what, "\n") log:flush() end
dap.adapters.nereid = { type = "executable", command = os.getenv("NEREID"), args = {
  "debug", "total.py:total", "x_ptr=fp32[64]:arange", "y_ptr=fp32[64]", "n=64", "BLOCK=16", "--grid", "2" } }
vim.cmd("edit total.py")
vim.api.nvim_win_set_cursor(0, { 17, 0 })
dap.set_breakpoint("k == 1")
local steps = { "step_into", "step_into", "step_out", "step_back", "continue", "continue" }
local at = 0
local function look(session)
  session:request("stackTrace", { threadId = session.stopped_thread_id or 1 }, function(err, body)
    local f = body.stackFrames[1]
    note(("stopped in %s at line %d, %d frames"):format(f.name, f.line, #body.stackFrames))
    session:request("scopes", { frameId = f.id }, function(err, sc)
      session:request("variables", { variablesReference = sc.scopes[1].variablesReference }, function(err, vars)
        local list = {}
        for _, v in ipairs(vars.variables) do table.insert(list, v.name .. "=" .. v.value) end
        note("  " .. table.concat(list, "; "))
        at = at + 1
        local step = steps[at]
        if step then note(step) dap[step]() else note("disconnect") dap.disconnect() end
      end)
    end)
  end)
end
dap.listeners.after.event_stopped["see"] = function(session, body) note("event stopped: " .. body.reason) look(session) end
dap.listeners.before.event_terminated["see"] = function() note("event terminated") end
dap.listeners.before.initialize["see"] = function(_, err, body) note("initialize: " .. (err and err.message or "stepBack " .. tostring(body.supportsStepBack))) end
dap.listeners.before.setBreakpoints["see"] = function(_, err, body) note("breakpoint verified: " .. tostring(body.breakpoints[1].verified)) end
dap.listeners.before.disconnect["see"] = function() note("disconnected") end
dap.run({ type = "nereid", request = "launch", name = "total", program = 1, stopOnEntry = false })
vim.wait(15000, function() return dap.session() == nil end, 50)
note(dap.session() and "the session is still open" or "the session is over")
log:close()
vim.cmd("qall!")
