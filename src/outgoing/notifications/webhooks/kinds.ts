import { MONEY_EVENTS } from '../../../storage/events/announcements.ts'

/** Types of events that an endpoint may choose. */
export const EVENT_KINDS = ['goal.converted', ...MONEY_EVENTS] as const

export const FORMATS = ['signed', 'slack', 'discord'] as const
export type Format = (typeof FORMATS)[number]
