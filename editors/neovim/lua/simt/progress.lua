-- What the server is busy with, in the line for messages: Neovim by itself shows it nowhere, or in a corner.

---@class simt.Progress
---@field kind 'begin'|'report'|'end'
---@field title? string
---@field message? string
---@field percentage? integer

local M = {}

---@type table<string|integer, string> titles of what runs, by the token of its progress
local titles = {}

---@type table<string, true> tokens of what was cancelled: its begin may still be on its way
local cancelled = {}

---@param text string
local function say(text)
  -- Not over a command that is being typed, nor over a question.
  if not vim.api.nvim_get_mode().mode:find('^[cr]') then
    vim.api.nvim_echo({ { text } }, false, {})
  end
end

--- An event `LspProgress` of the server.
---@param params { token: string|integer, value: simt.Progress }
function M.show(params)
  local token, value = params.token, params.value
  if cancelled[token] then
    return
  end
  if value.kind == 'begin' then
    titles[token] = value.title
  end
  local title = titles[token]
  if not title then
    return
  elseif value.kind == 'end' then
    titles[token] = nil
    say('')
  else
    local share = value.message and (': %d %%, %s'):format(value.percentage or 0, value.message) or ''
    say(('%s%s (:SimtCancel ends it)'):format(title, share))
  end
end

--- What was cancelled is no longer told of.
---@param token string
function M.forget(token)
  cancelled[token] = true
  if titles[token] then
    titles[token] = nil
    say('')
  end
end

return M
