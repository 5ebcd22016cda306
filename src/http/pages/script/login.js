import { call } from './api.js'
import { linkTo, make, notice, quiet, show, showFailure } from './dom.js'
import { emailField, field, form } from './form.js'
import { canUsePasskeys, signInWithPasskey } from './passkeys.js'
import { ssoLink } from './sso.js'

/** What failed in single sign-on, by the code that the service puts into the address. */
const SSO_ERRORS = {
  expired: 'Signing in took too long. Try again.',
  refused: 'Your organisation did not let you in.',
  invalid: 'The answer of your organisation could not be checked. Try again, or tell the operator.',
  unavailable: 'Your organisation cannot be reached. Try again later.',
  closed: 'You have no access yet: ask for an invitation.',
  unverified_email: 'Your organisation has not verified your e-mail address.',
  sign_in_first: 'A login has your e-mail address: sign in to it, and link single sign-on there.',
  setup_first: 'Your user has not been set up yet: ask for its link.',
  disabled: 'The login is disabled.',
  link_invalid: 'The link was used, has expired or never existed.',
  linked_elsewhere: 'Another login is linked to you already.',
  session_ended: 'Your session has ended: sign in again.',
}

/** Where to go afterwards: back to an invitation, which the address names after `#`, else to the start. */
function addressAfterwards(parameters) {
  const invitation = parameters.get('invite') ?? ''
  return /^[\w-]{43}$/.test(invitation) ? `invite#${invitation}` : './'
}

export async function showLogin() {
  const parameters = new URLSearchParams(location.hash.slice(1))
  let methods
  try {
    methods = await call('GET', 'auth/methods')
  } catch (error) {
    return showFailure('Sign in', error)
  }
  const goOn = () => location.assign(addressAfterwards(parameters))
  const others = [
    methods.passkeys && canUsePasskeys() && passkeyButton(goOn),
    methods.single_sign_on && ssoLink(methods.single_sign_on),
  ].filter(Boolean)
  const ssoError = parameters.get('error')
  show('Sign in', [
    ssoError &&
      make('p', { class: 'error', role: 'alert' }, SSO_ERRORS[ssoError] ?? 'Signing in did not work.'),
    parameters.has('reset') &&
      notice('The password is changed, and all devices are signed out. Sign in with the new one.'),
    parameters.has('ended') && notice('You are signed out.'),
    methods.password && passwordForm(goOn),
    methods.password && others.length > 0 && make('hr'),
    others.length > 0 && make('div', { class: 'stack' }, others),
    ...(methods.password ? forgotten(methods) : []),
    !methods.password && others.length === 0 && quiet('There is no way to sign in: ask the operator.'),
  ])
}

function passwordForm(goOn) {
  const code = field(
    'code',
    'Code',
    {
      autocomplete: 'one-time-code',
      inputmode: 'text',
      maxlength: 64,
      autocapitalize: 'off',
      spellcheck: 'false',
    },
    'Of your authenticator app, or one of your recovery codes.',
  )
  code.element.hidden = true
  const password = field('password', 'Password', {
    type: 'password',
    autocomplete: 'current-password',
    required: true,
  })
  return form([emailField({ 'data-focus': true }), password, code], 'Sign in', async values => {
    try {
      await call('POST', 'auth/login', { body: { ...values, code: values.code || undefined } })
      goOn()
    } catch (error) {
      if (error.code !== 'second_factor_required') throw error
      code.element.hidden = false
      code.input.required = true
      code.input.focus()
    }
  })
}

function passkeyButton(goOn) {
  const problem = make('p', { class: 'error', role: 'alert', hidden: true })
  const button = make('button', { type: 'button' }, 'Use a passkey')
  button.addEventListener('click', async () => {
    problem.hidden = true
    button.disabled = true
    try {
      await signInWithPasskey()
      goOn()
    } catch (error) {
      problem.textContent = error.code?.length ? error.message : 'The passkey was not used. Try again.'
      problem.hidden = false
    }
    button.disabled = false
  })
  return make('div', { class: 'stack' }, problem, button)
}

function forgotten({ has_mail: hasMail }) {
  const text = 'Forgot your password?'
  return [
    make('hr'),
    hasMail ? linkTo('reset', text) : quiet(`${text} Ask the operator of this service for a link.`),
  ]
}
