-- `:SimtMeld`: the arms of the branch in the line of the cursor, melded: both texts side by side, or applied at once.

local client = require('simt.client')

local M = {}

---@class simt.Meld the answer of `simt/meld`, see docs/protocol.md
---@field uri string
---@field version integer
---@field range lsp.Range
---@field status 'confirmed'|'refuted'|'not-checked'|'refused'|'failed'|'stopped'
---@field title? string
---@field message? string
---@field edits? lsp.TextEdit[]
---@field text? string

--- Asks for the melding at a place, and goes on where there is one.
---@param bufnr integer
---@param place? table<string, any> the cursor's unless given
---@param melded fun(server: vim.lsp.Client, meld: simt.Meld)
local function ask(bufnr, place, melded)
  local server = client.of(bufnr)
  if not server then
    return
  end
  client.request(server, bufnr, 'simt/meld', place or client.position(server), function(meld)
    if meld.edits then
      melded(server, meld)
    elseif meld.message then
      client.complain('not melded: ' .. meld.message)
    end
  end)
end

--- Applies a melding to the version of the text that was melded, and to no other.
---@param server vim.lsp.Client
---@param bufnr integer
---@param meld simt.Meld
---@return boolean
local function apply(server, bufnr, meld)
  if meld.status == 'refuted' then
    client.complain(meld.title)
    return false
  end
  if not vim.api.nvim_buf_is_loaded(bufnr) or vim.lsp.util.buf_versions[bufnr] ~= meld.version then
    client.complain('the text changed after it was melded: :SimtMeld melds it again')
    return false
  end
  vim.lsp.util.apply_text_edits(meld.edits, bufnr, server.offset_encoding)
  return true
end

---@param server vim.lsp.Client
---@param bufnr integer
---@param meld simt.Meld
local function show(server, bufnr, meld)
  vim.cmd.tabnew()
  vim.api.nvim_win_set_buf(0, bufnr)
  local left = vim.api.nvim_get_current_win()
  local preview = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(preview, 0, -1, false, vim.split((meld.text:gsub('\n$', '')), '\r?\n'))
  vim.bo[preview].syntax = 'cuda' -- not its file type, which would start a server for it
  vim.bo[preview].modifiable = false
  vim.bo[preview].bufhidden = 'wipe'
  vim.cmd.vsplit({ mods = { split = 'belowright' } })
  vim.api.nvim_win_set_buf(0, preview)
  vim.wo.winbar = ' ' .. meld.title:gsub('^Meld %w+ arms: ', ''):gsub('%%', '%%%%')
  vim.cmd.diffthis()
  vim.api.nvim_win_call(left, function()
    vim.wo.winbar = ' ' .. vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ':t'):gsub('%%', '%%%%')
    vim.cmd.diffthis()
  end)
  vim.api.nvim_win_set_cursor(0, { meld.range.start.line + 1, 0 })
  vim.api.nvim_echo({ { meld.status == 'refuted' and 'q closes' or 'a applies, q closes' } }, false, {})
  local function close()
    vim.cmd.tabclose()
  end
  vim.keymap.set('n', 'q', close, { buffer = preview, desc = 'simt: close the preview' })
  vim.keymap.set('n', 'a', function()
    if apply(server, bufnr, meld) then
      close()
    end
  end, { buffer = preview, desc = 'simt: apply the melding' })
end

--- In a tab of its own, as a diff.
---@param place? table<string, any> `{ textDocument, position }`; the cursor's unless given
---@param bufnr? integer
function M.preview(place, bufnr)
  bufnr = bufnr or vim.api.nvim_get_current_buf()
  ask(bufnr, place, function(server, meld)
    show(server, bufnr, meld)
  end)
end

--- Without a look at it; what was not checked after a question.
function M.at_once()
  local bufnr = vim.api.nvim_get_current_buf()
  ask(bufnr, nil, function(server, meld)
    if meld.status ~= 'not-checked' or vim.fn.confirm(meld.title .. '. Apply it?', '&Yes\n&No', 2) == 1 then
      apply(server, bufnr, meld)
    end
  end)
end

return M
