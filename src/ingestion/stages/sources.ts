/** Category of a source; decides the channel. `other` sources have a known name only and count as a referral. */
export type SourceCategory =
  | 'search'
  | 'social'
  | 'video'
  | 'shopping'
  | 'ai'
  | 'email'
  | 'audio'
  | 'affiliate'
  | 'other'

export interface KnownSource {
  /** Name in reports; if empty, reports show the host. */
  name: string
  category: SourceCategory
  /**
   * Host names without `www.` and Android package names. `*.example.com` means example.com and all of its subdomains;
   * `example.*` means example under `.com`, `.cat` or any country's suffix.
   */
  hosts?: string[]
  /** Other spellings seen in `utm_source`: lower case, with spaces for `-` and `_`. */
  aliases?: string[]
  /** Spellings for its advertisements other than one of its own spellings followed by `ads` or `ad`. */
  adAliases?: string[]
}

type Source = Omit<KnownSource, 'category'>

const search: Source[] = [
  {
    name: 'Google',
    hosts: ['google.*', 'm.google.*', 'images.google.*', 'lens.google.com', 'search.google.com'].concat(
      ['encrypted.google.com', 'cse.google.com', 'com.google.android.googlequicksearchbox'],
      ['*.googleadservices.com', '*.doubleclick.net', '*.googlesyndication.com', 'search.app'],
    ),
    aliases: ['google search'],
    adAliases: ['adwords', 'google adwords', 'googleadwords', 'gads'],
  },
  { name: 'Google News', hosts: ['news.google.*', 'com.google.android.apps.magazines'] },
  { name: 'Google Scholar', hosts: ['scholar.google.*'] },
  { name: 'Google Play', hosts: ['play.google.com', 'com.android.vending'] },
  {
    name: 'Bing',
    hosts: ['*.bing.com', 'com.microsoft.bing'],
    adAliases: [
      'microsoft ads',
      'microsoftads',
      'microsoft advertising',
      'bing advertising',
      'msads',
      'ms ads',
    ],
  },
  { name: 'MSN', hosts: ['*.msn.com'] },
  { name: 'Yahoo!', hosts: ['*.yahoo.*'], aliases: ['yahoo'] },
  { name: 'DuckDuckGo', hosts: ['*.duckduckgo.com', 'com.duckduckgo.mobile.android'], aliases: ['ddg'] },
  { name: 'Brave', hosts: ['search.brave.com'], aliases: ['brave search'] },
  { name: 'Ecosia', hosts: ['*.ecosia.org', 'com.ecosia.android'] },
  { name: 'Qwant', hosts: ['*.qwant.com'] },
  { name: 'Startpage', hosts: ['*.startpage.com'] },
  { name: 'Kagi', hosts: ['*.kagi.com'] },
  { name: 'Mojeek', hosts: ['*.mojeek.com'] },
  { name: 'Swisscows', hosts: ['*.swisscows.com'] },
  { name: 'MetaGer', hosts: ['*.metager.de', '*.metager.org'] },
  { name: 'Presearch', hosts: ['*.presearch.com', '*.presearch.org'] },
  { name: 'Baidu', hosts: ['*.baidu.com'] },
  { name: 'Sogou', hosts: ['*.sogou.com'] },
  { name: '360 Search', hosts: ['*.so.com', '360.cn'] },
  { name: 'Shenma', hosts: ['*.sm.cn'] },
  {
    name: 'Yandex',
    hosts: ['*.yandex.*', '*.ya.ru', 'ru.yandex.searchplugin'],
    adAliases: ['yandex direct'],
  },
  { name: 'Yandex Mail', hosts: ['mail.yandex.ru', 'mail.yandex.com', 'mail.yandex.com.tr'] },
  { name: 'Rambler', hosts: ['*.rambler.ru'] },
  { name: 'Mail.ru', hosts: ['go.mail.ru'] },
  { name: 'Naver', hosts: ['*.naver.com', 'com.nhn.android.search'] },
  { name: 'Daum', hosts: ['*.daum.net'] },
  { name: 'Seznam', hosts: ['*.seznam.cz'] },
  { name: 'Coc Coc', hosts: ['*.coccoc.com'] },
  { name: 'AOL', hosts: ['*.aol.*'] },
  { name: 'Ask', hosts: ['*.ask.com'] },
  { name: 'Dogpile', hosts: ['*.dogpile.com'] },
  { name: 'Lycos', hosts: ['*.lycos.*'] },
  { name: 'Excite', hosts: ['*.excite.*'] },
  { name: 'Rakuten', hosts: ['*.rakuten.co.jp'] },
  { name: 'Goo', hosts: ['search.goo.ne.jp'] },
  { name: 'Onet', hosts: ['*.onet.pl'] },
  { name: 'Virgilio', hosts: ['*.virgilio.it'] },
]

const social: Source[] = [
  {
    name: 'Facebook',
    hosts: ['*.facebook.com', 'fb.me', 'fb.com', 'fb.watch', 'com.facebook.katana', 'com.facebook.lite'],
    aliases: ['fb', 'meta'],
  },
  {
    name: 'Instagram',
    hosts: ['*.instagram.com', 'ig.me', 'com.instagram.android'],
    aliases: ['ig', 'insta'],
  },
  { name: 'Messenger', hosts: ['*.messenger.com', 'm.me', 'com.facebook.orca'] },
  { name: 'Threads', hosts: ['*.threads.net', '*.threads.com', 'com.instagram.barcelona'] },
  {
    name: 'X',
    hosts: ['*.x.com', '*.twitter.com', 't.co', '*.tweetdeck.com', 'com.twitter.android'],
    aliases: ['twitter', 'tweetdeck', 'x twitter', 'twitter x'],
  },
  {
    name: 'LinkedIn',
    hosts: ['*.linkedin.com', 'lnkd.in', 'com.linkedin.android'],
    aliases: ['li'],
  },
  {
    name: 'Reddit',
    hosts: ['*.reddit.com', 'redd.it', 'com.reddit.frontpage'],
  },
  {
    name: 'Hacker News',
    hosts: ['news.ycombinator.com', 'hckrnews.com', '*.hckrnews.com', 'io.github.hidroh.materialistic'],
    aliases: ['hackernews', 'hn', 'ycombinator'],
  },
  { name: 'Product Hunt', hosts: ['*.producthunt.com'], aliases: ['producthunt'] },
  { name: 'Indie Hackers', hosts: ['*.indiehackers.com'], aliases: ['indiehackers'] },
  {
    name: 'TikTok',
    hosts: ['*.tiktok.com', 'com.zhiliaoapp.musically', 'com.ss.android.ugc.trill'],
    aliases: ['tik tok'],
  },
  { name: 'Pinterest', hosts: ['*.pinterest.*', 'pin.it', 'com.pinterest'] },
  { name: 'Snapchat', hosts: ['*.snapchat.com', 'com.snapchat.android'], aliases: ['snap'] },
  { name: 'Bluesky', hosts: ['*.bsky.app', 'xyz.blueskyweb.app'], aliases: ['bsky'] },
  {
    name: 'Mastodon',
    hosts: ['mastodon.social', 'mastodon.online', 'mstdn.social', 'mas.to', 'fosstodon.org'].concat(
      ['hachyderm.io', 'infosec.exchange', 'techhub.social', 'mastodon.world', 'chaos.social'],
      ['mstdn.jp', 'pawoo.net', 'org.joinmastodon.android'],
    ),
  },
  { name: 'Lemmy', hosts: ['lemmy.world', 'lemmy.ml', 'programming.dev', 'sh.itjust.works'] },
  { name: 'Tumblr', hosts: ['*.tumblr.com'] },
  { name: 'Quora', hosts: ['*.quora.com'] },
  { name: 'Medium', hosts: ['*.medium.com'] },
  { name: 'Substack', hosts: ['*.substack.com'] },
  { name: 'Stack Overflow', hosts: ['*.stackoverflow.com'], aliases: ['stackoverflow'] },
  {
    name: 'Stack Exchange',
    hosts: ['*.stackexchange.com', '*.superuser.com', '*.serverfault.com', '*.askubuntu.com'],
    aliases: ['stackexchange'],
  },
  { name: 'Lobsters', hosts: ['lobste.rs'] },
  { name: 'Slashdot', hosts: ['*.slashdot.org'] },
  { name: 'DEV Community', hosts: ['dev.to'], aliases: ['devto'] },
  { name: 'Techmeme', hosts: ['*.techmeme.com'] },
  { name: 'Digg', hosts: ['*.digg.com'] },
  { name: 'Flipboard', hosts: ['*.flipboard.com', 'flip.it', 'flipboard.app'] },
  { name: 'Pocket', hosts: ['*.getpocket.com', 'com.ideashower.readitlater.pro'], aliases: ['getpocket'] },
  { name: 'Telegram', hosts: ['t.me', '*.telegram.org', 'telegram.me', 'org.telegram.messenger'] },
  { name: 'WhatsApp', hosts: ['*.whatsapp.com', 'wa.me', 'com.whatsapp'], aliases: ['wa'] },
  { name: 'Discord', hosts: ['*.discord.com', '*.discordapp.com', 'discord.gg', 'com.discord'] },
  { name: 'Slack', hosts: ['*.slack.com', 'com.slack'] },
  {
    name: 'Microsoft Teams',
    hosts: ['teams.microsoft.com', 'teams.live.com', 'statics.teams.cdn.office.net'],
  },
  { name: 'Skype', hosts: ['*.skype.com'] },
  { name: 'Line', hosts: ['*.line.me', 'jp.naver.line.android'] },
  { name: 'KakaoTalk', hosts: ['*.kakao.com', 'com.kakao.talk'], aliases: ['kakao'] },
  { name: 'Zalo', hosts: ['*.zalo.me'] },
  { name: 'WeChat', hosts: ['*.wechat.com', '*.weixin.qq.com', 'com.tencent.mm'], aliases: ['weixin'] },
  { name: 'QQ', hosts: ['*.qq.com'] },
  { name: 'Weibo', hosts: ['*.weibo.com', '*.weibo.cn', 't.cn', 'com.sina.weibo'] },
  { name: 'Xiaohongshu', hosts: ['*.xiaohongshu.com', 'xhslink.com'], aliases: ['rednote'] },
  { name: 'Zhihu', hosts: ['*.zhihu.com'] },
  { name: 'Douban', hosts: ['*.douban.com'] },
  {
    name: 'VK',
    hosts: ['*.vk.com', '*.vk.ru', '*.vkontakte.ru', 'com.vkontakte.android'],
    aliases: ['vkontakte'],
  },
  { name: 'Odnoklassniki', hosts: ['*.ok.ru', '*.odnoklassniki.ru'] },
  { name: 'LiveJournal', hosts: ['*.livejournal.com'] },
  { name: 'Habr', hosts: ['*.habr.com'] },
  { name: 'Hatena', hosts: ['*.hatena.ne.jp', '*.hatenablog.com'] },
  { name: 'Niconico', hosts: ['*.nicovideo.jp'] },
  { name: 'Naver Blog', hosts: ['blog.naver.com', 'm.blog.naver.com'] },
  { name: 'Naver Cafe', hosts: ['cafe.naver.com', 'm.cafe.naver.com'] },
  { name: 'Xing', hosts: ['*.xing.com'] },
  { name: 'Viadeo', hosts: ['*.viadeo.com'] },
  { name: 'Nextdoor', hosts: ['*.nextdoor.com'] },
  { name: 'Meetup', hosts: ['*.meetup.com'] },
  { name: 'Steam Community', hosts: ['*.steamcommunity.com'], aliases: ['steamcommunity'] },
  { name: 'Flickr', hosts: ['*.flickr.com'] },
  { name: 'DeviantArt', hosts: ['*.deviantart.com'] },
  { name: 'Goodreads', hosts: ['*.goodreads.com'] },
  { name: 'Tripadvisor', hosts: ['*.tripadvisor.*'] },
  { name: 'Trustpilot', hosts: ['*.trustpilot.com'] },
  { name: 'Yelp', hosts: ['*.yelp.*'] },
  { name: 'Glassdoor', hosts: ['*.glassdoor.*'] },
  { name: 'WordPress', hosts: ['*.wordpress.com', '*.wordpress.org'] },
  { name: 'Blogger', hosts: ['*.blogger.com', '*.blogspot.*'] },
  { name: 'Linktree', hosts: ['linktr.ee'] },
  { name: 'Hootsuite', hosts: ['*.hootsuite.com', 'ow.ly'] },
  { name: 'Buffer', hosts: ['*.buffer.com'] },
  { name: 'Viva Engage', hosts: ['*.yammer.com', 'engage.cloud.microsoft'], aliases: ['yammer'] },
]

const video: Source[] = [
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

const shopping: Source[] = [
  {
    name: 'Google Shopping',
    hosts: ['shopping.google.*', 'merchants.google.com'],
    aliases: ['googleshopping', 'google merchant center'],
  },
  {
    name: 'Amazon',
    hosts: ['*.amazon.*', 'amzn.to', '*.amazon-adsystem.com', 'com.amazon.mShop.android.shopping'],
  },
  { name: 'eBay', hosts: ['*.ebay.*'] },
  { name: 'Etsy', hosts: ['*.etsy.com'] },
  { name: 'Walmart', hosts: ['*.walmart.*'] },
  { name: 'Target', hosts: ['target.com'] },
  { name: 'AliExpress', hosts: ['*.aliexpress.com', '*.aliexpress.us', '*.aliexpress.ru'] },
  { name: 'Alibaba', hosts: ['*.alibaba.com'] },
  { name: 'Temu', hosts: ['*.temu.com'] },
  { name: 'Mercado Libre', hosts: ['*.mercadolibre.*', '*.mercadolivre.*'], aliases: ['mercadolibre'] },
  { name: 'Shopify', hosts: ['*.shopify.com', 'shop.app'] },
  { name: 'Stripe', hosts: ['*.stripe.com'] },
  { name: 'Yahoo! Shopping', hosts: ['*.shopping.yahoo.com', '*.shopping.yahoo.co.jp'] },
  { name: 'Naver Shopping', hosts: ['*.shopping.naver.com'] },
  { name: 'Amazon S3', hosts: ['s3.amazonaws.com'] },
  { name: 'Shopzilla', hosts: ['*.shopzilla.com'] },
  { name: 'Idealo', hosts: ['*.idealo.*'] },
  { name: 'PriceRunner', hosts: ['*.pricerunner.*'] },
  { name: 'IGShopping', aliases: ['ig shopping', 'instagram shopping'] },
]

const ai: Source[] = [
  { name: 'ChatGPT', hosts: ['*.chatgpt.com', 'chat.openai.com', 'com.openai.chatgpt'], aliases: ['openai'] },
  { name: 'Claude', hosts: ['*.claude.ai', '*.claude.com', 'com.anthropic.claude'] },
  { name: 'Perplexity', hosts: ['*.perplexity.ai', 'ai.perplexity.app.android'] },
  { name: 'Gemini', hosts: ['gemini.google.com', 'bard.google.com', 'com.google.android.apps.bard'] },
  { name: 'NotebookLM', hosts: ['notebooklm.google.com', 'notebooklm.google'] },
  {
    name: 'Copilot',
    hosts: ['copilot.microsoft.com', '*.copilot.com', 'm365.cloud.microsoft', 'com.microsoft.copilot'],
  },
  { name: 'Mistral', hosts: ['*.mistral.ai'], aliases: ['le chat'] },
  { name: 'DeepSeek', hosts: ['*.deepseek.com'] },
  { name: 'Grok', hosts: ['*.grok.com', 'grok.x.com', 'ai.x.grok'] },
  { name: 'Meta AI', hosts: ['*.meta.ai'] },
  { name: 'You.com', hosts: ['*.you.com'] },
  { name: 'Poe', hosts: ['*.poe.com'] },
  { name: 'Phind', hosts: ['*.phind.com'] },
  { name: 'Kimi', hosts: ['*.kimi.com', 'kimi.moonshot.cn'] },
  { name: 'Qwen', hosts: ['chat.qwen.ai', '*.tongyi.com'] },
  { name: 'Doubao', hosts: ['*.doubao.com'] },
  { name: 'Felo', hosts: ['*.felo.ai'] },
  { name: 'Genspark', hosts: ['*.genspark.ai'] },
  { name: 'HuggingChat', hosts: ['hf.co', '*.huggingface.co'], aliases: ['huggingface', 'hugging face'] },
]

const email: Source[] = [
  { name: 'Gmail', hosts: ['mail.google.com', 'inbox.google.com', 'com.google.android.gm'] },
  {
    name: 'Outlook',
    hosts: [
      '*.outlook.com',
      '*.hotmail.com',
      'outlook.live.com',
      'mail.live.com',
      'outlook.office.com',
    ].concat(
      ['outlook.office365.com', 'outlook.cloud.microsoft', '*.safelinks.protection.outlook.com'],
      ['com.microsoft.office.outlook'],
    ),
    aliases: ['hotmail'],
  },
  { name: 'Yahoo! Mail', hosts: ['*.mail.yahoo.com', '*.mail.yahoo.co.jp'], aliases: ['yahoo mail'] },
  { name: 'AOL Mail', hosts: ['mail.aol.com'] },
  { name: 'iCloud Mail', hosts: ['*.icloud.com'], aliases: ['icloud'] },
  { name: 'Proton Mail', hosts: ['mail.proton.me', 'mail.protonmail.com'], aliases: ['protonmail'] },
  { name: 'Fastmail', hosts: ['app.fastmail.com', 'fastmail.com'] },
  { name: 'Zoho Mail', hosts: ['mail.zoho.com', 'mail.zoho.eu'] },
  { name: 'GMX', hosts: ['*.gmx.net', '*.gmx.com', '*.gmx.de'] },
  { name: 'WEB.DE', hosts: ['*.web.de'] },
  { name: 'Mail.ru Mail', hosts: ['e.mail.ru', 'ru.mail.mailapp'] },
  { name: 'QQ Mail', hosts: ['mail.qq.com', 'wx.mail.qq.com'] },
  { name: 'Naver Mail', hosts: ['mail.naver.com'] },
  { name: 'Newsletter', aliases: ['newsletters', 'email newsletter', 'mailing', 'mailing list'] },
  { name: 'Mailchimp', hosts: ['*.mailchimp.com', '*.campaign-archive.com', '*.list-manage.com'] },
  { name: 'Klaviyo', hosts: ['*.klaviyo.com', '*.klclick.com'] },
  { name: 'Brevo', hosts: ['*.brevo.com'], aliases: ['sendinblue'] },
  { name: 'SendGrid', hosts: ['*.sendgrid.net'] },
  { name: 'Kit', aliases: ['convertkit'] },
  { name: 'beehiiv', hosts: ['*.beehiiv.com'] },
  { name: 'Buttondown', hosts: ['*.buttondown.com', '*.buttondown.email'] },
  { name: 'MailerLite', aliases: ['mailer lite'] },
  { name: 'ActiveCampaign', aliases: ['active campaign'] },
  { name: 'Campaign Monitor', hosts: ['*.createsend.com'] },
]

const audio: Source[] = [
  { name: 'Spotify', hosts: ['*.spotify.com', 'com.spotify.music'] },
  { name: 'Apple Podcasts', hosts: ['podcasts.apple.com'] },
  { name: 'Apple Music', hosts: ['music.apple.com'] },
  { name: 'Amazon Music', hosts: ['music.amazon.*'] },
  { name: 'SoundCloud', hosts: ['*.soundcloud.com'] },
  { name: 'Deezer', hosts: ['*.deezer.com'] },
  { name: 'Overcast', hosts: ['overcast.fm'] },
  { name: 'Pocket Casts', hosts: ['*.pocketcasts.com', 'pca.st'], aliases: ['pocketcasts'] },
]

const affiliate: Source[] = [
  { name: 'Awin', hosts: ['*.awin1.com', '*.awin.com'] },
  { name: 'Impact', hosts: ['app.impact.com'], aliases: ['impact radius'] },
  { name: 'ShareASale', hosts: ['*.shareasale.com'] },
  {
    name: 'CJ Affiliate',
    hosts: ['*.cj.com', '*.dpbolvw.net', '*.anrdoezrs.net'],
    aliases: ['commission junction'],
  },
  { name: 'Skimlinks', hosts: ['go.skimresources.com'] },
]

const other: Source[] = [
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

/**
 * Known sources. Categories follow Google's table of source categories for default channel groups, even where they look odd.
 * A source that is not in the table gets the category of similar sources: chat apps, communities and link pages are social.
 */
export const knownSources: readonly KnownSource[] = Object.entries({
  search,
  social,
  video,
  shopping,
  ai,
  email,
  audio,
  affiliate,
  other,
} satisfies Record<SourceCategory, Source[]>).flatMap(([category, sources]) =>
  sources.map(source => ({ ...source, category: category as SourceCategory })),
)
