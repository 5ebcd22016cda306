import { z } from 'zod'
import {
  LinkSecret,
  ResetPassword,
  ResetRequest,
  SetUpLogin,
  SignIn,
} from '../access/accounts/account-schema.ts'
import { signOut } from '../access/accounts/end-sessions.ts'
import { findLink, LINK_PURPOSES, NO_LINK } from '../access/accounts/links.ts'
import { SignInMethods, signInMethods } from '../access/accounts/methods.ts'
import { NO_MAIL, requestReset, resetPassword } from '../access/accounts/reset.ts'
import { signIn } from '../access/accounts/sign-in.ts'
import { Account, confirmAddress } from '../access/teams/account.ts'
import { FIRST_OWNER, setUpLogin } from '../access/teams/set-up-login.ts'
import { countAttempt } from '../platform/limits/attempts.ts'
import { sendMail } from '../platform/mail/send.ts'
import { flag, label } from '../platform/schema/fields.ts'
import { openProcedure, router } from './procedures.ts'
import { rememberPerson, signedInPerson, visitorOf, welcome } from './signed-in.ts'

const FOREIGN = 'A page of another origin sent the request'
const TOO_MANY = 'More than 10 attempts in 15 minutes, or more requests than the limit allows'

const guessed = openProcedure.meta({ rate_limited: TOO_MANY })
const withPassword = guessed.meta({ forbidden: `${FOREIGN}; or passwords are turned off` })

const LinkInfo = z
  .object({
    purpose: z.enum(LINK_PURPOSES).meta({
      description:
        '`setup` makes a login, `reset` replaces a password, `recover` does that and removes the second factor, `address` confirms a new address.',
      example: 'setup',
    }),
    email: label('E-mail address that it is for.', 'ada@example.com'),
    may_change_email: flag('Whether another address may be given.'),
  })
  .meta({ id: 'LinkInfo' })

export const authRouter = router({
  methods: openProcedure
    .meta({
      path: '/api/auth/methods',
      summary: 'List the ways to sign in',
      answer: 'What a page for signing in offers.',
    })
    .output(SignInMethods)
    .query(({ ctx }) => signInMethods(ctx.config)),
  login: withPassword
    .meta({
      method: 'post',
      path: '/api/auth/login',
      summary: 'Sign in with a password',
      description:
        'Sets the cookie of a new session; the session that the browser had ends. An unknown address, a wrong password and a login that ' +
        'is disabled are answered alike. 10 attempts in 15 minutes by network, 100 by address; successful ones do not count. A browser that has signed in before counts by itself.',
      answer: 'The login.',
      unauthenticated: 'The e-mail address, the password or the code is wrong',
      second_factor_required: true,
    })
    .input(SignIn)
    .output(Account)
    .mutation(async ({ ctx, input }) => {
      return welcome(ctx, await signIn(ctx, input, visitorOf(ctx)))
    }),
  logout: openProcedure
    .meta({
      method: 'post',
      path: '/api/auth/logout',
      summary: 'Sign out',
      description:
        'Ends the session of the cookie, and removes the cookie. Without a session, nothing happens.',
    })
    .output(z.void())
    .mutation(({ ctx }) => signOut(ctx)),
  link: guessed
    .meta({
      method: 'post',
      path: '/api/auth/link',
      summary: 'Look at a link',
      description:
        'What a link for a set-up, a new password or a new address is for. It can still be used afterwards.',
      answer: 'What it is for.',
      not_found: NO_LINK,
    })
    .input(LinkSecret)
    .output(LinkInfo)
    .mutation(async ({ ctx, input }) => {
      const attempt = await countAttempt(ctx, 'link', { network: ctx.network })
      const { purpose, email } = await findLink(ctx.db, input.secret, LINK_PURPOSES, ctx.now())
      await attempt.giveBack()
      return { purpose, email, may_change_email: purpose === 'setup' && email === FIRST_OWNER }
    }),
  setup: withPassword
    .meta({
      method: 'post',
      path: '/api/auth/setup',
      summary: 'Set a login up',
      description:
        'With the link that the operator made: makes the login, joins the memberships with its address to it, and signs in.',
      answer: 'The new login.',
      not_found: NO_LINK,
    })
    .input(SetUpLogin)
    .output(Account)
    .mutation(async ({ ctx, input }) => {
      return welcome(ctx, await setUpLogin(ctx, input, visitorOf(ctx)))
    }),
  requestReset: withPassword
    .meta({
      method: 'post',
      path: '/api/auth/reset-request',
      summary: 'Ask for a new password',
      description:
        'Mails a link that works for an hour, if a login has the address. The answer is the same for any address.',
      forbidden: `${FOREIGN}; passwords are turned off; or: ${NO_MAIL}`,
    })
    .input(ResetRequest)
    .output(z.void())
    .mutation(async ({ ctx, input }) => {
      await requestReset(ctx, input, visitorOf(ctx), sendMail)
    }),
  confirmAddress: guessed
    .meta({
      method: 'post',
      path: '/api/auth/confirm-address',
      summary: 'Confirm a new e-mail address',
      description:
        'With the link that was mailed to it; from then on the login signs in with it. Both addresses get a mail.',
      answer: 'The address.',
      not_found: NO_LINK,
    })
    .input(LinkSecret)
    .output(z.object({ email: label('The address that counts now.', 'ada@example.com') }))
    .mutation(async ({ ctx, input }) => {
      const person = await signedInPerson(ctx)
      const { email, isOwn } = await confirmAddress({ ...ctx, person }, input)
      if (isOwn) rememberPerson(ctx, { email })
      return { email }
    }),
  reset: withPassword
    .meta({
      method: 'post',
      path: '/api/auth/reset',
      summary: 'Replace a forgotten password',
      description:
        'With a link. All sessions of the login end; sign in with the new password. A link that the operator made also removes the ' +
        'second factor.',
      not_found: NO_LINK,
    })
    .input(ResetPassword)
    .output(z.void())
    .mutation(({ ctx, input }) => resetPassword(ctx, input, visitorOf(ctx))),
})
