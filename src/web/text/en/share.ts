/** Pages of shares and of public sites, before their numbers can be shown. */
export const share = {
  title: 'Shared site',
  password: 'Password',
  passwordHint: 'Those who sent you the link know its password.',
  open: 'Open',
  wrongPassword: 'This password is not right.',
  tooMany: 'Too many wrong passwords. Try again in 15 minutes.',
  narrowed: 'All numbers are of visits with',
  over: 'This link does not work any more',
  overHint:
    'It has expired or was revoked, or the site is not public. Ask those who sent it to you for another one.',
}
