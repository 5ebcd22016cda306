import type { Source } from './source.ts'

export const video: Source[] = [
  {
    name: 'YouTube',
    hosts: ['*.youtube.com', 'youtu.be', '*.youtube-nocookie.com', 'com.google.android.youtube'],
    aliases: ['yt'],
  },
  { name: 'Vimeo', hosts: ['*.vimeo.com'] },
  { name: 'Twitch', hosts: ['*.twitch.tv', 'tv.twitch.android.app'] },
  { name: 'Dailymotion', hosts: ['*.dailymotion.com', 'dai.ly'] },
  { name: 'Netflix', hosts: ['*.netflix.com'] },
  { name: 'Prime Video', hosts: ['*.primevideo.com'] },
  { name: 'Hulu', hosts: ['*.hulu.com'] },
  { name: 'Disney+', hosts: ['*.disneyplus.com'], aliases: ['disneyplus', 'disney plus'] },
  { name: 'Wistia', hosts: ['*.wistia.com', '*.wistia.net'] },
  { name: 'TED', hosts: ['*.ted.com'] },
  { name: 'Rumble', hosts: ['*.rumble.com'] },
  { name: 'Odysee', hosts: ['*.odysee.com'] },
  { name: 'Kick', hosts: ['*.kick.com'] },
  { name: 'Bilibili', hosts: ['*.bilibili.com', 'b23.tv'] },
  { name: 'Youku', hosts: ['*.youku.com'] },
  { name: 'iQIYI', hosts: ['*.iqiyi.com', '*.iq.com'] },
  { name: 'Rutube', hosts: ['*.rutube.ru'] },
  { name: 'VK Video', hosts: ['*.vkvideo.ru'] },
  { name: 'Loom', hosts: ['*.loom.com'] },
]

export const audio: Source[] = [
  { name: 'Spotify', hosts: ['*.spotify.com', 'com.spotify.music'] },
  { name: 'Apple Podcasts', hosts: ['podcasts.apple.com'] },
  { name: 'Apple Music', hosts: ['music.apple.com'] },
  { name: 'Amazon Music', hosts: ['music.amazon.*'] },
  { name: 'SoundCloud', hosts: ['*.soundcloud.com'] },
  { name: 'Deezer', hosts: ['*.deezer.com'] },
  { name: 'Overcast', hosts: ['overcast.fm'] },
  { name: 'Pocket Casts', hosts: ['*.pocketcasts.com', 'pca.st'], aliases: ['pocketcasts'] },
]
