import { call } from './api.js'
import { linkTo, notice, show, showFailure } from './dom.js'
import { emailField, field, form, newPasswordField } from './form.js'
import { waysWithLink } from './sso.js'

/** The secret of a link stands after `#`, so that no server and no log of a proxy ever gets it with the address. */
export const secretInAddress = () => location.hash.slice(1)

const toLogin = () => linkTo('login', 'Go to sign in')

/** What the link is for, and what the service offers. */
const look = secret =>
  Promise.all([call('POST', 'auth/link', { body: { secret } }), call('GET', 'auth/methods')])

export async function showSetup() {
  const secret = secretInAddress()
  let link
  let methods
  try {
    ;[link, methods] = await look(secret)
  } catch (error) {
    return showFailure('Set up your login', error, [toLogin()])
  }
  if (link.purpose !== 'setup') return location.replace(`reset#${secret}`)
  const mayChange = link.may_change_email
  const fields = [
    emailField(mayChange ? { 'data-focus': true } : { readonly: true, value: link.email }),
    field('name', 'Name (optional)', { autocomplete: 'name', maxlength: 100, 'data-focus': !mayChange }),
    newPasswordField(),
  ]
  const passwordForm = form(fields, 'Set it up', async ({ email, name, password }) => {
    await call('POST', 'auth/setup', { body: { secret, email, name, password } })
    location.assign('./')
  })
  show('Set up your login', waysWithLink(methods, secret, passwordForm))
}

export async function showReset() {
  const secret = secretInAddress()
  if (secret === '') return showRequest()
  let link
  let methods
  try {
    ;[link, methods] = await look(secret)
  } catch (error) {
    return showFailure('Choose a new password', error, [linkTo('reset', 'Ask for a new link'), toLogin()])
  }
  if (link.purpose === 'setup') return location.replace(`setup#${secret}`)
  const fields = [emailField({ readonly: true, value: link.email }), newPasswordField({ 'data-focus': true })]
  const passwordForm = form(fields, 'Change the password', async ({ password }) => {
    await call('POST', 'auth/reset', { body: { secret, password } })
    location.assign('login#reset')
  })
  // Only a link of the operator also lets somebody in with single sign-on.
  if (link.purpose === 'reset') show('Choose a new password', [passwordForm])
  else show('Get back into your login', waysWithLink(methods, secret, passwordForm))
}

async function showRequest() {
  let methods
  try {
    methods = await call('GET', 'auth/methods')
  } catch (error) {
    return showFailure('New password', error)
  }
  if (!methods.password) {
    return showFailure('New password', { message: 'This service has no passwords.' }, [toLogin()])
  }
  if (!methods.has_mail) {
    const message = 'This service sends no mail. Ask its operator for a link.'
    return showFailure('New password', { message }, [toLogin()])
  }
  const send = async ({ email }) => {
    await call('POST', 'auth/reset-request', { body: { email } })
    show('Look into your mail', [
      notice(`If a login has the address ${email}, a link is on its way. It works for an hour.`),
      toLogin(),
    ])
  }
  show('New password', [form([emailField({ 'data-focus': true })], 'Send a link', send), toLogin()])
}
