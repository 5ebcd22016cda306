import type { Source } from './source.ts'

export const other: Source[] = [
  { name: 'GitHub', hosts: ['github.com', 'gist.github.com', 'com.github.android'] },
  { name: 'GitLab', hosts: ['gitlab.com'] },
  { name: 'Bitbucket', hosts: ['bitbucket.org'] },
  { name: 'npm', hosts: ['npmjs.com'], aliases: ['npmjs'] },
  { name: 'AWS', hosts: ['*.aws.amazon.com', '*.amazonaws.com'] },
  { name: 'AlternativeTo', hosts: ['alternativeto.net'] },
  { name: 'G2', hosts: ['*.g2.com'] },
  { name: 'Capterra', hosts: ['*.capterra.*'] },
  { name: 'Wikipedia', hosts: ['*.wikipedia.org'] },
  { name: 'Notion', hosts: ['notion.so', 'notion.com'] },
  { name: 'Trello', hosts: ['trello.com'] },
  { name: 'Asana', hosts: ['app.asana.com'] },
  { name: 'Jira', aliases: ['atlassian'] },
  { name: 'Google Docs', hosts: ['docs.google.com'] },
  { name: 'Google Translate', hosts: ['translate.google.*', '*.translate.goog'] },
  { name: 'Google Maps', hosts: ['maps.google.*', 'com.google.android.apps.maps'] },
  { name: 'Feedly', hosts: ['*.feedly.com', 'com.devhd.feedly'] },
  { name: 'Inoreader', hosts: ['*.inoreader.com'] },
  { name: 'Apple App Store', hosts: ['apps.apple.com', 'itunes.apple.com'] },
  { name: 'PayPal', hosts: ['*.paypal.com'] },
]
