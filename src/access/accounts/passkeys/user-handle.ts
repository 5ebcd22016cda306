/** Returns what an authenticator keeps beside a passkey to say whose it is: the id of the login, base64url. */
export const handleOf = (loginId: string): string =>
  Buffer.from(loginId.replaceAll('-', ''), 'hex').toString('base64url')
