import type { Api } from './api.ts'

export interface QueuedMail {
  subject: string
  language: string
  /** Its paragraphs and links. */
  text: string
}

/** Mails that wait for an address, the oldest first. */
export async function queuedMails({ services: { db } }: Pick<Api, 'services'>, address: string) {
  const rows = await db<{ subject: string; language: string; paragraphs: unknown }[]>`
    select subject, language, paragraphs from queued_mails where address = ${address} order by created_at, subject`
  return rows.map(({ paragraphs, ...mail }): QueuedMail => {
    const parts = (typeof paragraphs === 'string' ? JSON.parse(paragraphs) : paragraphs) as (
      | string
      | { label: string; url: string }
    )[]
    const text = parts
      .map(each => (typeof each === 'string' ? each : `${each.label}: ${each.url}`))
      .join('\n')
    return { ...mail, text }
  })
}
