-- The server of a buffer, and requests to it; the one place that knows how 0.10 and later versions differ.

local M = {}

local METHODS = vim.fn.has('nvim-0.11') == 1

---@param bufnr integer
---@return vim.lsp.Client? client nil after a message that says what is missing
function M.of(bufnr)
  local client = vim.lsp.get_clients({ bufnr = bufnr, name = 'simt_lsp' })[1]
  if not client then
    M.complain('the server does not run for this buffer: :SimtRestart starts it, :checkhealth simt tells why it cannot')
  end
  return client
end

---@param message string
function M.complain(message)
  vim.notify('simt: ' .. message, vim.log.levels.WARN)
end

---@param client vim.lsp.Client
---@param bufnr integer
---@param method string
---@param params table<string, any>
---@param answered fun(result: any) not called after an error, which is shown
---@param ended? fun() called after errors as well, and first
---@return integer? request its number, for `M.cancel`
function M.request(client, bufnr, method, params, answered, ended)
  local function handler(problem, result)
    if ended then
      ended()
    end
    if not problem then
      answered(result)
    elseif problem.code ~= vim.lsp.protocol.ErrorCodes.RequestCancelled then
      -- The server names the method for whoever writes a client; its user knows what was asked.
      M.complain((problem.message:gsub('^simt[./]%w+:? ', '')))
    end
  end
  local sent, request
  if METHODS then
    sent, request = client:request(method, params, handler, bufnr)
  else
    sent, request = client.request(method, params, handler, bufnr)
  end
  if not sent then
    M.complain('the server has ended; :SimtRestart starts it again')
  end
  return request
end

---@param client vim.lsp.Client
---@param request integer
function M.cancel(client, request)
  if METHODS then
    client:cancel_request(request)
  else
    client.cancel_request(request)
  end
end

---@param client vim.lsp.Client
---@return boolean
function M.lives(client)
  if METHODS then
    return not client:is_stopped()
  end
  return not client.is_stopped()
end

---@param client vim.lsp.Client
function M.stop(client)
  if METHODS then
    client:stop()
  else
    client.stop()
  end
end

--- `{ textDocument, position }` of the cursor, in the encoding that was agreed on.
---@param client vim.lsp.Client
---@return table<string, any>
function M.position(client)
  return vim.lsp.util.make_position_params(0, client.offset_encoding)
end

return M
