import { z } from 'zod'
import { Proof } from '../access/accounts/account-schema.ts'
import { addPasskey, offerPasskey } from '../access/accounts/passkeys/add.ts'
import { loginWithPasskey, offerLogin } from '../access/accounts/passkeys/login.ts'
import {
  AddOptions,
  AddPasskey,
  Passkey,
  UseOptions,
  UsePasskey,
} from '../access/accounts/passkeys/passkey-schema.ts'
import { listPasskeys, presentPasskey, removePasskey } from '../access/accounts/passkeys/passkeys.ts'
import { PROOF_NEEDED } from '../access/accounts/proof.ts'
import { Account } from '../access/teams/account.ts'
import { label } from '../platform/schema/fields.ts'
import { openProcedure, personProcedure, router, SIGN_IN } from './procedures.ts'
import { visitorOf, welcome } from './signed-in.ts'

/** Why the service may offer no passkeys; for the description of endpoints. */
export const NOT_OFFERED =
  'passkeys are not offered: the address of the service (BASE_URL) is an IP address or lacks https, or single sign-on alone is allowed'

export const passkeysRouter = router({
  loginOptions: openProcedure
    .meta({
      method: 'post',
      path: '/api/auth/passkey/options',
      summary: 'Begin to sign in with a passkey',
      description:
        'Pass the answer to `PublicKeyCredential.parseRequestOptionsFromJSON` and then to the browser.',
      answer: 'What the authenticator has to sign, once within five minutes.',
      forbidden: `A page of another origin sent the request; or: ${NOT_OFFERED}`,
    })
    .output(UseOptions)
    .mutation(({ ctx }) => offerLogin(ctx)),
  login: openProcedure
    .meta({
      method: 'post',
      path: '/api/auth/passkey',
      summary: 'Sign in with a passkey',
      description:
        'A passkey counts as both factors, since its authenticator has verified the person. The cookie of the session is set.',
      unauthenticated:
        'The passkey is unknown or was used wrongly, the time is over, or the login is disabled',
      forbidden: `A page of another origin sent the request; or: ${NOT_OFFERED}`,
    })
    .input(UsePasskey)
    .output(Account)
    .mutation(async ({ ctx, input }) => {
      return welcome(ctx, await loginWithPasskey(ctx, input, visitorOf(ctx)))
    }),
  list: personProcedure
    .meta({
      path: '/api/account/passkeys',
      summary: 'List passkeys',
      answer: 'A bare array of your own, the oldest first.',
    })
    .output(z.array(Passkey))
    .query(async ({ ctx }) => (await listPasskeys(ctx.db, ctx.person)).map(presentPasskey)),
  addOptions: personProcedure
    .meta({
      method: 'post',
      path: '/api/account/passkeys/options',
      summary: 'Begin to add a passkey',
      description:
        'Pass the answer to `PublicKeyCredential.parseCreationOptionsFromJSON` and then to the browser.',
      answer: 'What the authenticator has to make, once within five minutes and in this session.',
      forbidden: `${SIGN_IN}; or: ${PROOF_NEEDED}; the login has as many passkeys as it may have; or: ${NOT_OFFERED}`,
    })
    .input(Proof)
    .output(AddOptions)
    .mutation(({ ctx, input }) => offerPasskey(ctx, input.password)),
  add: personProcedure
    .meta({
      method: 'post',
      path: '/api/account/passkeys',
      ok: 201,
      summary: 'Add a passkey',
      answer: 'The new passkey.',
      forbidden: `${SIGN_IN}; the login has as many passkeys as it may have; or: ${NOT_OFFERED}`,
    })
    .input(AddPasskey)
    .output(Passkey)
    .mutation(({ ctx, input }) => addPasskey(ctx, input)),
  remove: personProcedure
    .meta({
      method: 'delete',
      path: '/api/account/passkeys/:id',
      summary: 'Remove a passkey',
      description: 'Never the last way to sign in that the login has.',
      not_found: 'No such passkey',
      forbidden: `${SIGN_IN}; it is the last way to sign in; or: ${PROOF_NEEDED}`,
    })
    .input(Proof.extend({ id: label('Id of the passkey.', 'q83vEjRWeJCrze8SNFZ4kA') }))
    .output(z.void())
    .mutation(({ ctx, input }) => removePasskey(ctx, input)),
})
