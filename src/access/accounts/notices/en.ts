import type { NoticeTexts } from './notice-texts.ts'

export const en: NoticeTexts = {
  locale: 'en-GB',
  subjects: {
    new_browser: 'A new browser signed in',
    password: 'Your password was changed',
    reset: 'Your password was replaced with a link',
    recover: 'A link of the operator was used',
    factor: 'A second factor was added',
    no_factor: 'The second factor was removed',
    codes: 'New recovery codes were made',
    passkey: 'A passkey was added',
    no_passkey: 'A passkey was removed',
    sign_on: 'Single sign-on was linked',
    no_sign_on: 'The link to single sign-on was removed',
    address_asked: 'A new e-mail address waits for its confirmation',
    address: 'The e-mail address was changed',
    token: 'A token was made',
    token_of_token: 'A token made another token',
    owner: 'A team has a new owner',
  },
  sentences: {
    new_browser: () => 'Your login was used in a browser in which you had not signed in before.',
    password: () => 'A new password was set. All other devices were signed out.',
    reset: () => 'The password was replaced with a link. All devices were signed out.',
    recover: () =>
      'A link of the operator let a person into your login. The second factor was removed, and all devices were signed out.',
    factor: () => 'An authenticator app was added: signing in with the password needs its code.',
    no_factor: () => 'The second factor was removed: the password alone is enough to sign in.',
    codes: () => 'New recovery codes were made. Those before do not work any more.',
    passkey: ({ name }) => `The passkey “${name}” was added. It signs in without a password.`,
    no_passkey: ({ name }) => `The passkey “${name}” was removed.`,
    sign_on: ({ provider }) => `Your login was linked to an account at ${provider}, which now signs in.`,
    no_sign_on: ({ provider }) => `The link to an account at ${provider} was removed.`,
    address_asked: ({ address }) =>
      `${address} is to be the new address of your login. It counts when it was confirmed with the link that we mailed to it; until then yours stays.`,
    address: ({ before, address }) =>
      `The address to sign in with was changed from ${before} to ${address}. The old one does not sign in any more.`,
    token: ({ name, team }) => `The token “${name}” was made for you in the team “${team}”.`,
    token_of_token: ({ name, team, maker }) =>
      `Your token “${maker}” made the token “${name}” in the team “${team}”. If it makes more today, you get no further mail.`,
    owner: ({ email, team, by }) => `${email} is now an owner of the team “${team}”. It was done by ${by}.`,
  },
  login: (email, host) => `Login ${email} at ${host}`,
  when: time => `Time: ${time} UTC`,
  device: (browser, system) => `Browser: ${system === '' ? browser : `${browser} on ${system}`}`,
  unknownBrowser: 'unknown',
  network: network => `Network: ${network}`,
  remedies: {
    secure: {
      advice:
        'If this was you, there is nothing to do. If not: change your password, sign out everywhere, and look at your passkeys and tokens.',
      label: 'Look at your login',
    },
    get_in: {
      advice:
        'If this was you, there is nothing to do. If not: ask for a new password at once. If you cannot get in, ask the operator of the service for a link.',
      label: 'Get back into your login',
    },
    ask: {
      advice:
        'If this was you, there is nothing to do. If not: ask the operator of the service at once for a link with which you get back in.',
      label: 'Sign in',
    },
    token: {
      advice: 'If you do not know it: revoke it, change your password and sign out everywhere.',
      label: 'Tokens of the team',
    },
    owner: {
      advice: 'Owners may do everything in the team. If this is not right: change the role.',
      label: 'People of the team',
    },
  },
  confirmation: {
    subject: 'Confirm your e-mail address',
    text: (email, host) => `The login ${email} at ${host} is to have this address from now on.`,
    button: 'Confirm the address',
    note: 'The link works for a day, and only once. If you did not ask for it, ignore this mail: nothing changes.',
  },
}
