-- `:SimtSimulate`, and the lens "Simulate": run the kernel of the cursor and show the report.

local client = require('simt.client')
local window = require('simt.window')

local M = {}

---@type { client: vim.lsp.Client, request: integer }? the simulation that runs
local running

---@param bufnr integer
---@param kernel string
local function show_report(server, bufnr, kernel)
  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr), kernel = kernel, format = 'text' }
  client.request(server, bufnr, 'simt/simulationReport', params, function(report)
    if report then
      window.in_the_middle(report.content, kernel)
    end
  end)
end

--- Runs the command `simt.simulate` with the argument that docs/protocol.md describes.
---@param bufnr integer
---@param argument table<string, any>
function M.run(bufnr, argument)
  local server = client.of(bufnr)
  if not server then
    return
  end
  -- Quiet: how it went says the report; a long message besides would have to be answered with ENTER first.
  local asked = vim.tbl_extend('force', argument, { quiet = true })
  local params = { command = 'simt.simulate', arguments = { asked } }
  local request = client.request(server, bufnr, 'workspace/executeCommand', params, function(answer)
    if answer.status == 'finished' then
      show_report(server, bufnr, answer.report.kernel)
    elseif answer.message then
      client.complain(answer.message)
    end
  end, function()
    running = nil
  end)
  running = request and { client = server, request = request } or nil
end

---@param launch string as in a comment above a kernel: `grid=8 block=256 n=2048`; empty: chosen
function M.at_cursor(launch)
  local bufnr = vim.api.nvim_get_current_buf()
  local server = client.of(bufnr)
  if server then
    local argument = client.position(server)
    argument.launchText = launch ~= '' and launch or nil
    M.run(bufnr, argument)
  end
end

function M.cancel()
  if running then
    client.cancel(running.client, running.request)
    running = nil
    require('simt.progress').forget()
    vim.notify('simt: the simulation was ended', vim.log.levels.INFO)
  else
    client.complain('nothing is being simulated')
  end
end

--- `:SimtReport`: the last report on the kernel of the cursor as a page, in the browser.
function M.open_page()
  local bufnr = vim.api.nvim_get_current_buf()
  local server = client.of(bufnr)
  if not server then
    return
  end
  client.request(server, bufnr, 'simt/simulationReport', client.position(server), function(report)
    if report then
      require('simt.files').open(report.content, 'html')
    else
      client.complain('no kernel was simulated here; :SimtSimulate does')
    end
  end)
end

return M
