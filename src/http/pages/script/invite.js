import { call } from './api.js'
import { linkTo, make, quiet, show, showFailure } from './dom.js'
import { emailField, field, form, newPasswordField } from './form.js'
import { secretInAddress } from './link.js'
import { waysWithLink } from './sso.js'

/** The signed-in person; undefined for nobody. */
async function person() {
  try {
    return await call('GET', 'account')
  } catch (error) {
    if (error.status === 401) return undefined
    throw error
  }
}

export async function showInvitation() {
  const secret = secretInAddress()
  let invitation
  let account
  let methods
  try {
    ;[invitation, account, methods] = await Promise.all([
      call('POST', 'invitations/look-up', { body: { secret } }),
      person(),
      call('GET', 'auth/methods'),
    ])
  } catch (error) {
    return showFailure('Invitation', error, [linkTo('login', 'Go to sign in')])
  }
  const accept = async (fields = {}) => {
    await call('POST', 'invitations/accept', { body: { secret, ...fields } })
    location.assign('./')
  }
  const title = `Join ${invitation.team_name}`
  const what = make(
    'p',
    {},
    `${invitation.invited_by} invites ${invitation.email} to the team ${invitation.team_name} as ${invitation.role}.`,
  )
  if (account) {
    const fields = [emailField({ readonly: true, value: account.email })]
    return show(title, [
      what,
      quiet('You are signed in, and join with this login:'),
      form(fields, 'Join the team', () => accept()),
      make('hr'),
      signOutButton(),
    ])
  }
  const signIn = make(
    'a',
    { class: 'button', href: `login#invite=${encodeURIComponent(secret)}` },
    'Sign in first',
  )
  if (invitation.needs_login) {
    return show(title, [what, quiet('A login with this address exists. Sign in, then accept.'), signIn])
  }
  const fields = [
    emailField({ readonly: true, value: invitation.email }),
    field('name', 'Name (optional)', { autocomplete: 'name', maxlength: 100, 'data-focus': true }),
    newPasswordField(),
  ]
  const passwordForm = form(fields, 'Make a login and join', ({ name, password }) =>
    accept({ name: name || undefined, password }),
  )
  show(title, [
    what,
    ...waysWithLink(methods, secret, passwordForm),
    make('hr'),
    quiet('You have a login with another address?'),
    signIn,
  ])
}

function signOutButton() {
  const leave = async () => {
    await call('POST', 'auth/logout', { body: {} })
    location.reload()
  }
  return make('button', { type: 'button', onclick: leave }, 'Join with another login')
}
