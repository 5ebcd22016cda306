import { z } from 'zod'

/** What changes of one's own ways to sign in need beside the session. */
export const Proof = z.object({
  password: z
    .string()
    .max(1_000)
    .optional()
    .meta({ description: 'Your password, if your login has one.', example: 'correct horse battery staple' }),
})
