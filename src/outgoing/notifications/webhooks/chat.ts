import { cut } from '../../../platform/schema/validation.ts'
import type { OutgoingEvent } from './body.ts'
import { type Line, titleOf } from './wording.ts'

/** Bounds of Discord's embeds and of Slack's sections. */
const MOST_TITLE = 250
const MOST_TEXT = 2_900

/** Returns the JSON that incoming webhooks of Slack, Mattermost and Rocket.Chat take. */
export function slackBody(event: OutgoingEvent): string {
  const { title, lines } = titleOf(event)
  const text = [`*${slackText(title)}*`, ...lines.map(line => slackText(lineText(line)))].join('\n')
  return JSON.stringify({
    text: slackText(title),
    blocks: [{ type: 'section', text: { type: 'mrkdwn', text: cut(text, MOST_TEXT) } }],
  })
}

/** Returns the JSON that Discord's webhooks take. No member is mentioned, whatever the texts have. */
export function discordBody(event: OutgoingEvent): string {
  const { title, lines, color } = titleOf(event)
  return JSON.stringify({
    embeds: [
      {
        title: cut(title, MOST_TITLE),
        description: cut(discordText(lines.map(lineText).join('\n')), MOST_TEXT),
        color,
        timestamp: event.createdAt.toISOString(),
      },
    ],
    allowed_mentions: { parse: [] },
  })
}

const lineText = ({ label, value }: Line) => (label === '' ? value : `${label}: ${value}`)

/** Slack reads `&`, `<` and `>` as marks of links and mentions. */
const slackText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Marks of Markdown in texts of visitors stay text. */
const discordText = (text: string) => text.replace(/[\\*_~`|>[\]()#]/g, mark => `\\${mark}`)
