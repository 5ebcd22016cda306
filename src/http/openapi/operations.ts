import type { ProcedureName } from '../routes.ts'
import type { Operation } from './operation.ts'
import { statsOperations } from './stats-operations.ts'

const NO_GOAL = 'No such site, or no such goal of it'
const GOAL_RULES =
  'Something is not as it must be: a field that the type needs or does not have, a reserved name, a display name that is ' +
  'taken, the same goal again, or more than 1,000 goals'

/** Texts of each procedure for the OpenAPI document. Everything else in the document is read from the procedure. */
export const operations: Record<ProcedureName, Operation> = {
  ...statsOperations,
  'sites.list': {
    summary: 'List sites',
    description: 'The sites that the token reaches, pinned ones first, with their traffic in the period.',
    answer: 'A bare array.',
  },
  'sites.create': {
    summary: 'Create a site',
    description: 'A domain may be a site once per team.',
    answer: 'The new site.',
  },
  'sites.get': { summary: 'Read a site', answer: 'The site.' },
  'sites.delete': {
    summary: 'Delete a site',
    description:
      'At once: nothing of the site is served any more, and its tracking key is unknown within a second. Its data is ' +
      'removed in the background. Irreversible.',
  },
  'sites.updateDomain': {
    summary: 'Change the domain',
    description: 'The domain keys the URLs of the site. It may be that of one site per team.',
    answer: 'The site.',
  },
  'sites.updateTimezone': {
    summary: 'Change the time zone',
    description: "Defines the site's reporting day.",
    answer: 'The site.',
  },
  'sites.updateCurrency': {
    summary: 'Change the reporting currency',
    description:
      'Refused while the site has a goal with a currency, or payments in another currency than the new one. The present ' +
      'currency is always accepted.',
    answer: 'The site.',
  },
  'sites.updateTrackingMode': { summary: 'Change the tracking mode', answer: 'The site.' },
  'sites.updateSharing': { summary: 'Share the dashboard, or stop sharing it', answer: 'The site.' },
  'sites.updateFeatures': {
    summary: 'Turn features on or off',
    description: 'A feature that is left out stays as it is.',
    answer: 'The site.',
  },
  'sites.togglePin': {
    summary: 'Pin or unpin the site',
    description: 'Pins the site to the top of the list, or unpins it when it is pinned.',
    answer: 'The site.',
  },
  'goals.list': {
    summary: 'List goals',
    description: 'By display name, in any case.',
    answer: 'A page of goals.',
  },
  'goals.create': {
    summary: 'Create a goal',
    answer: 'The new goal.',
    refusals: { validation_failed: GOAL_RULES },
  },
  'goals.createBatch': {
    summary: 'Create event goals by their names',
    description: 'A name that is a goal already, or cannot be one, is passed over.',
    answer: 'Every goal of the site, the newest first: a bare array.',
  },
  'goals.update': {
    summary: 'Replace a goal',
    description:
      'The whole definition: what is left out is reset. Numbers are computed by the new definition, of the past too.',
    answer: 'The goal.',
    refusals: { not_found: NO_GOAL, validation_failed: GOAL_RULES },
  },
  'goals.delete': {
    summary: 'Delete a goal',
    description: 'Irreversible. Funnels are not affected.',
    refusals: { not_found: NO_GOAL },
  },
  'sites.getIdentifySecret': {
    summary: 'Read whether identities have to be signed',
    answer: 'Whether there is an identify secret, which is not shown again.',
  },
  'sites.rotateIdentifySecret': {
    summary: 'Make a new identify secret',
    description:
      'From then on `POST /api/identify` needs a `signature` for this site: the HMAC-SHA-256 of the identifier, keyed with the ' +
      'secret. Replaces the secret there is; what is signed with that one is refused within a second.',
    answer: 'The secret, shown for the only time.',
  },
  'sites.removeIdentifySecret': {
    summary: 'Remove the identify secret',
    description: 'From then on identities of the site need no signature.',
    refusals: { not_found: 'No such site, or it has no identify secret' },
  },
  'payments.list': {
    summary: 'List payments',
    description: 'By their time, the newest first; those that came from the payment processor are there too.',
    answer: 'A page of payments.',
  },
  'payments.record': {
    summary: 'Record a payment',
    description: 'Once per `transaction_id`: the first record stays, whatever is sent later.',
    answer: 'The payment is recorded.',
  },
  'payments.delete': {
    summary: 'Delete a payment',
    description: 'One that was recorded through this API; never one that came from the payment processor.',
    answer: 'The payment is deleted.',
    refusals: { not_found: 'No such site, or no such payment recorded through the API' },
  },
  'processor.get': {
    summary: 'Read the connection to the payment processor',
    answer: 'The connection, without its secrets.',
    refusals: { not_found: 'No such site, or no payment processor is connected to it' },
  },
  'processor.connect': {
    summary: 'Connect a payment processor',
    description: 'Replaces the connection there is. Secrets are encrypted and never shown again.',
    answer: 'The connection, without its secrets.',
  },
  'processor.disconnect': {
    summary: 'Disconnect the payment processor',
    refusals: { not_found: 'No such site, or no payment processor is connected to it' },
  },
  'options.timezones': {
    summary: 'List time zones',
    description: 'Every name that a site can have as its time zone.',
    answer: 'A bare array.',
  },
  'options.currencies': {
    summary: 'List currencies',
    description: 'Every reporting currency that a site can have.',
    answer: 'A bare array.',
  },
  'tokens.list': {
    summary: 'List tokens',
    description:
      "The team's for owners and admins, one's own for members, the newest first. A token that is limited to sites sees " +
      'only those that are limited to some of its sites.',
    answer: 'A bare array; the tokens themselves are not shown again.',
  },
  'tokens.create': {
    summary: 'Create a token',
    description:
      'It acts as the user of the token that makes it, and never reaches further: not to other sites, not for longer. A user ' +
      'has at most 50 tokens that work.',
    answer: 'The new token, shown for the only time.',
    refusals: { not_found: 'No such site' },
  },
  'tokens.revoke': {
    summary: 'Revoke a token',
    description:
      'Any token that the caller can list, its own included. What was made through it stays, unless `cascade` is true.',
    refusals: { not_found: 'No such token' },
  },
}
