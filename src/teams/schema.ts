import { z } from 'zod'
import { requiredText } from '../infra/validation.ts'

export const ROLES = ['owner', 'admin', 'member'] as const
export type Role = (typeof ROLES)[number]

export const PLANS = ['active', 'trial', 'lapsed', 'none'] as const
export type Plan = (typeof PLANS)[number]

/** Who makes a request, read from its token: acts in one team, with one user's role. */
export interface Caller {
  tokenId: string
  teamId: string
  userId: string
  role: Role
  /** The sites the token is limited to; null when it reaches every site of the team. */
  siteIds: string[] | null
  /** When the token stops working; null for never. */
  expiresAt: Date | null
  plan: Plan
  /** Set exactly when the plan is `trial`. */
  trialEndsAt: Date | null
}

/** A token as it can be shown at any time. */
export const TokenInfo = z.object({
  id: z.string(),
  name: z.string(),
  site_ids: z.array(z.string()).nullable(),
  expires_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
  created_at: z.string(),
})
export type TokenInfo = z.infer<typeof TokenInfo>

export const TokenList = z.array(TokenInfo)

/** A token as it is shown once, when it is made. */
export const CreatedToken = TokenInfo.extend({ token: z.string() })
export type CreatedToken = z.infer<typeof CreatedToken>

/** What is left out, or null, is as the token that makes the request has it. */
export const CreateToken = z.object({
  name: requiredText(255),
  site_ids: z.array(z.guid()).min(1).max(1_000).nullish(),
  expires_at: z.iso
    .datetime({ offset: true })
    .transform(value => new Date(value))
    .nullish(),
})
export type CreateToken = z.infer<typeof CreateToken>

export const TokenId = z.object({ id: z.string() })
