import { z } from 'zod'
import {
  AddTotp,
  ChangeAccount,
  ChangePassword,
  Proof,
  ProofState,
  ProveAgain,
} from '../access/accounts/account-schema.ts'
import { DeviceInfo, listDevices } from '../access/accounts/devices.ts'
import { endAllDevices, endDevice } from '../access/accounts/end-sessions.ts'
import {
  addTotp,
  changePassword,
  NO_TOTP,
  proposeTotp,
  removeTotp,
  replaceRecoveryCodes,
} from '../access/accounts/factors.ts'
import { ProofOptions } from '../access/accounts/passkeys/passkey-schema.ts'
import { PROOF_NEEDED } from '../access/accounts/proof.ts'
import { offerProof, proofState, proveAgain } from '../access/accounts/prove-again.ts'
import { Account, changeAccount, getAccount } from '../access/teams/account.ts'
import { label } from '../platform/schema/fields.ts'
import { NOT_OFFERED } from './passkeys.ts'
import { personProcedure, router, SIGN_IN } from './procedures.ts'
import { rememberPerson } from './signed-in.ts'

const TOO_MANY = 'More than 10 wrong passwords or codes in 15 minutes, or more requests than the limit allows'

/** For changes that need a proof. */
const provenProcedure = personProcedure.meta({
  forbidden: `${SIGN_IN}; or: ${PROOF_NEEDED}`,
  rate_limited: TOO_MANY,
})

const ProposedTotp = z
  .object({
    secret: label('Secret for the authenticator app, base32.', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'),
    uri: label(
      'The same as an address, for a link or a picture that the app reads.',
      'otpauth://totp/analytics.example.com:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    ),
  })
  .meta({ id: 'ProposedTotp' })

const RecoveryCodes = z
  .object({
    recovery_codes: z.array(z.string()).meta({
      description: 'Ten codes that stand in for the code of the app, each once. They are not shown again.',
      example: ['k3wv-1t5n-q0xj'],
    }),
  })
  .meta({ id: 'RecoveryCodes' })

export const accountRouter = router({
  get: personProcedure
    .meta({ path: '/api/account', summary: 'Read your login', answer: 'The login and its teams.' })
    .output(Account)
    .query(({ ctx }) => getAccount(ctx, ctx.person.loginId)),
  change: provenProcedure
    .meta({
      method: 'patch',
      path: '/api/account',
      summary: 'Change your name, e-mail address or language',
      description:
        'What is left out stays. Another address needs a proof: `password`, or a recent sign-in. It counts as soon as it is confirmed with the link ' +
        'that is mailed to it; until then it is `pending_email`. The present address takes a pending one back. Where the service sends no mail, ' +
        'the new address counts at once.',
      answer: 'The login as it is now.',
      rate_limited: `${TOO_MANY}; or the login has asked for 100 mails to other addresses on this day`,
      unavailable:
        'The mail server has not taken the mail to the new address: nothing has changed; or the database cannot answer now',
    })
    .input(ChangeAccount)
    .output(Account)
    .mutation(async ({ ctx, input }) => {
      const account = await changeAccount(ctx, input)
      rememberPerson(ctx, account)
      return account
    }),
  changePassword: provenProcedure
    .meta({
      method: 'put',
      path: '/api/account/password',
      summary: 'Change your password',
      description: 'Also adds one to a login without a password. All other sessions of the login end.',
      forbidden: `${SIGN_IN}; passwords are turned off; or: ${PROOF_NEEDED}`,
    })
    .input(ChangePassword)
    .output(z.void())
    .mutation(({ ctx, input }) => changePassword(ctx, input)),
  proposeTotp: personProcedure
    .meta({
      method: 'post',
      path: '/api/account/totp/secret',
      summary: 'Get a secret for an authenticator app',
      description:
        'Nothing changes until `POST /api/account/totp` gets the secret back with a code of the app.',
      answer: 'A new secret; it is not stored.',
    })
    .output(ProposedTotp)
    .mutation(({ ctx }) => proposeTotp(ctx)),
  addTotp: provenProcedure
    .meta({
      method: 'post',
      path: '/api/account/totp',
      summary: 'Add a second factor',
      description:
        'Signing in with the password then needs a code of the authenticator app, too. Replaces an app that was added before.',
      answer: 'New recovery codes, shown for the only time.',
    })
    .input(AddTotp)
    .output(RecoveryCodes)
    .mutation(({ ctx, input }) => addTotp(ctx, input)),
  removeTotp: provenProcedure
    .meta({
      method: 'delete',
      path: '/api/account/totp',
      summary: 'Remove the second factor',
      description:
        'Its recovery codes stop working. Send `password` in the body, not in the query: URLs are logged.',
      not_found: NO_TOTP,
    })
    .input(Proof)
    .output(z.void())
    .mutation(({ ctx, input }) => removeTotp(ctx, input.password)),
  renewRecoveryCodes: provenProcedure
    .meta({
      method: 'post',
      path: '/api/account/recovery-codes',
      summary: 'Renew the recovery codes',
      description: 'Those before stop working.',
      answer: 'New recovery codes, shown for the only time.',
      not_found: NO_TOTP,
    })
    .input(Proof)
    .output(RecoveryCodes)
    .mutation(({ ctx, input }) => replaceRecoveryCodes(ctx, input.password)),
  proof: personProcedure
    .meta({
      path: '/api/account/proof',
      summary: 'Read until when your proof counts',
      description:
        'Making tokens, shares and invitations in a browser needs a proof of who you are of the last 12 hours. Signing in is one.',
      answer: 'Until when it counts, and how to prove it again.',
    })
    .output(ProofState)
    .query(({ ctx }) => proofState(ctx)),
  proofOptions: personProcedure
    .meta({
      method: 'post',
      path: '/api/account/proof/options',
      summary: 'Begin to prove who you are with a passkey',
      description:
        'Pass the answer to `PublicKeyCredential.parseRequestOptionsFromJSON` and then to the browser.',
      answer: 'What the authenticator has to sign, once within five minutes and in this session.',
      forbidden: `${SIGN_IN}; or: ${NOT_OFFERED}`,
    })
    .output(ProofOptions)
    .mutation(({ ctx }) => offerProof(ctx)),
  prove: personProcedure
    .meta({
      method: 'post',
      path: '/api/account/proof',
      summary: 'Prove again who you are',
      description:
        'With `password`, and `code` where the login has a second factor, or with `credential`, what a passkey has signed. A login with neither ' +
        'signs in again with single sign-on. The proof counts for this session, for 12 hours.',
      answer: 'Until when it counts.',
      forbidden: `${SIGN_IN}; the password, the code or the passkey is wrong; passwords are turned off; or: ${NOT_OFFERED}`,
      rate_limited: TOO_MANY,
    })
    .input(ProveAgain)
    .output(ProofState)
    .mutation(({ ctx, input }) => proveAgain(ctx, input)),
  sessions: personProcedure
    .meta({
      path: '/api/account/sessions',
      summary: 'List your devices',
      description: 'The browsers in which you are signed in, last used first.',
      answer: 'A bare array.',
    })
    .output(z.array(DeviceInfo))
    .query(({ ctx }) => listDevices(ctx.db, ctx.person, ctx.now())),
  endSession: personProcedure
    .meta({
      method: 'delete',
      path: '/api/account/sessions/:id',
      summary: 'Sign a device out',
      not_found: 'No such session',
    })
    .input(z.object({ id: z.guid().meta({ description: 'Id of the session.' }) }))
    .output(z.void())
    .mutation(({ ctx, input }) => endDevice(ctx, input.id)),
  endSessions: personProcedure
    .meta({
      method: 'delete',
      path: '/api/account/sessions',
      summary: 'Sign all devices out',
      description: 'The one that asks, too.',
    })
    .output(z.void())
    .mutation(({ ctx }) => endAllDevices(ctx)),
})
