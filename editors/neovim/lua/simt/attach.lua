-- What a buffer gets when the server looks at it: commands, hints, lenses, the command that a lens runs.

local options = require('simt.options')

---@param client vim.lsp.Client
---@param bufnr integer
return function(client, bufnr)
  -- The lens "Simulate" is shown like the command: in a window, not only as a message.
  client.commands['simt.simulate'] = function(command, context)
    require('simt.simulate').run(context.bufnr, command.arguments[1])
  end
  -- A code action of clients that can show both texts.
  client.commands['simt.meldPreview'] = function(command, context)
    require('simt.meld').preview(command.arguments[1], context.bufnr)
  end
  require('simt.commands').define(bufnr)
  if options.current.inlay_hints then
    vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
  end
  if options.current.code_lens then
    require('simt.lenses').show(bufnr)
  end
end
