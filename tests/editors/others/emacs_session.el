;;; What a user does with eglot, in batch; the last line of the output is what was seen, as JSON.  -*- lexical-binding: t -*-
(require 'cl-lib)
(require 'flymake)
(require 'eglot)
(require 'json)
(prefer-coding-system 'utf-8)
(setq eglot-autoshutdown nil eglot-sync-connect 20 eglot-connect-timeout 30
      flymake-no-changes-timeout 0.1 make-backup-files nil create-lockfiles nil)

(defvar seen nil "What the tests ask for.")

(defun settle (condition)
  "Let Emacs work until CONDITION holds, or for twenty seconds."
  (let ((end (+ (float-time) 20)))
    (while (and (not (funcall condition)) (< (float-time) end))
      (accept-process-output nil 0.02)
      (sit-for 0.01))))

(defun findings () (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))
(defun found (words) (cl-some (lambda (text) (string-match-p words text)) (findings)))
(defun barrier-found () (found "this barrier"))
(defun see (name value) (push (cons name value) seen))

(defun send ()
  "What a command loop does after a command: in batch there is none."
  (flymake-start nil)
  (ignore-errors (eglot--signal-textDocument/didChange)))

(defun ask (method &rest more)
  (jsonrpc-request (eglot-current-server) method
                   (append (list :textDocument (eglot--TextDocumentIdentifier)) more)))

(find-file "halo.cu")
(see 'mode (symbol-name major-mode))
(run-hooks 'post-command-hook)
(settle (lambda () (and (eglot-current-server) (eglot-managed-p))))
(see 'managed (if (eglot-managed-p) t :json-false))
(flymake-start nil)
(settle #'barrier-found)
(see 'opened (vconcat (findings)))

(goto-char (point-min))
(search-forward "out[")
(let ((answer (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
  (see 'hover (substring-no-properties (eglot--hover-info (plist-get answer :contents)))))
(see 'hints (length (ask :textDocument/inlayHint :range '(:start (:line 0 :character 0) :end (:line 5 :character 0)))))

(goto-char (point-min))
(search-forward "lane < 7")
(replace-match "n < 7")
(send)
(settle (lambda () (not (barrier-found))))
(see 'mended (vconcat (findings)))

(search-backward "n < 7")
(delete-char 5)
(dolist (letter (string-to-list "lane < 9"))
  (insert letter)
  (send)
  (accept-process-output nil 0.005))
(settle (lambda () (found "0-8 of the block")))  ; `lane <' alone is found, too, while it is typed
(see 'typed (vconcat (findings)))

(ignore-errors (eglot-shutdown (eglot-current-server)))
(princ (concat "\n" (json-encode seen) "\n"))
