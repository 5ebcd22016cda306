import { showHome } from './home.js'
import { showInvitation } from './invite.js'
import { showReset, showSetup } from './link.js'
import { showLogin } from './login.js'

/** Pages by the last part of their address. */
const PAGES = { login: showLogin, setup: showSetup, reset: showReset, invite: showInvitation }

const open = () => (PAGES[location.pathname.split('/').at(-1)] ?? showHome)()

// Another link in the same tab changes only what stands after `#`.
addEventListener('hashchange', open)
open()
