import { showHome } from './home.js'
import { showInvitation } from './invite.js'
import { showReset, showSetup } from './link.js'
import { showLogin } from './login.js'
import { showShare } from './share.js'

/** Pages by the last part of their address. */
const PAGES = { login: showLogin, setup: showSetup, reset: showReset, invite: showInvitation }

/** The page of a share is `share/{site}`. */
function open() {
  const [folder, name] = location.pathname.split('/').slice(-2)
  if (folder === 'share') showShare()
  else (PAGES[name] ?? showHome)()
}

// Another link in the same tab changes only what stands after `#`.
addEventListener('hashchange', open)
open()
