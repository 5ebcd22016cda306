import { call } from './api.js'
import { make } from './dom.js'

/** A link to single sign-on, for the page for signing in. */
export const ssoLink = ({ name }) =>
  make('a', { class: 'button', href: 'api/auth/oidc/start' }, `Sign in with ${name}`)

/** A button that begins single sign-on with the link that the person has opened; its secret must not stand in an address. */
function ssoButton({ name }, secret) {
  const problem = make('p', { class: 'error', role: 'alert', hidden: true })
  const button = make('button', { type: 'button' }, `Continue with ${name}`)
  button.addEventListener('click', async () => {
    problem.hidden = true
    button.disabled = true
    try {
      const { url } = await call('POST', 'auth/oidc/start', { body: { link: secret } })
      location.assign(url)
    } catch (error) {
      problem.textContent = error.message
      problem.hidden = false
      button.disabled = false
    }
  })
  return make('div', { class: 'stack' }, problem, button)
}

/** What a page with a link offers: a form for a password, single sign-on, or both. */
export function waysWithLink(methods, secret, passwordForm) {
  const { password, single_sign_on: sso } = methods
  return [password && passwordForm, password && sso && make('hr'), sso && ssoButton(sso, secret)]
}
