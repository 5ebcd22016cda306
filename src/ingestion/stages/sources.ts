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
  /** Google's table does not have it: a clear medium, such as email, outranks the category. */
  isOurs: boolean
}

type Source = Omit<KnownSource, 'category' | 'isOurs'>

const search: Source[] = [
  {
    name: 'Google',
    hosts: ['google.*', 'm.google.*', 'images.google.*', 'lens.google.com', 'search.google.com'].concat(
      ['encrypted.google.com', 'cse.google.com', 'com.google.android.googlequicksearchbox'],
      ['*.googleadservices.com', '*.doubleclick.net', '*.googlesyndication.com', 'search.app'],
      ['*.syndicatedsearch.goog', 'com.google.android.apps.searchlite'],
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
  { name: 'Messenger', hosts: ['*.messenger.com', 'm.me', 'com.facebook.orca', 'com.facebook.mlite'] },
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
  { name: 'Tumblr', hosts: ['*.tumblr.com', 't.umblr.com', 'com.tumblr'] },
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
  {
    name: 'Telegram',
    hosts: ['t.me', '*.telegram.org', 'telegram.me', 'org.telegram.messenger'].concat([
      'org.telegram.messenger.web',
      'org.telegram.plus',
      'org.thunderdog.challegram',
    ]),
  },
  {
    name: 'WhatsApp',
    hosts: ['*.whatsapp.com', 'wa.me', 'com.whatsapp', 'com.whatsapp.w4b'],
    aliases: ['wa'],
  },
  { name: 'Discord', hosts: ['*.discord.com', '*.discordapp.com', 'discord.gg', 'com.discord'] },
  { name: 'Slack', hosts: ['*.slack.com', 'com.slack'] },
  {
    name: 'Microsoft Teams',
    hosts: [
      'teams.microsoft.com',
      'teams.live.com',
      'teams.cloud.microsoft',
      'statics.teams.cdn.office.net',
      'com.microsoft.teams',
    ],
  },
  { name: 'Skype', hosts: ['*.skype.com', 'com.skype.raider'] },
  { name: 'Signal', hosts: ['*.signal.org', 'signal.me', 'org.thoughtcrime.securesms'] },
  { name: 'Viber', hosts: ['*.viber.com', 'com.viber.voip'] },
  { name: 'Threema', hosts: ['*.threema.ch', 'threema.id', 'ch.threema.app'] },
  {
    name: 'Element Messenger',
    hosts: ['app.element.io', 'matrix.to', 'im.vector.app', 'io.element.android.x'],
  },
  { name: 'Google Chat', hosts: ['chat.google.com', 'com.google.android.apps.dynamite'] },
  { name: 'Google Messages', hosts: ['com.google.android.apps.messaging'] },
  { name: 'Samsung Messages', hosts: ['com.samsung.android.messaging'] },
  { name: 'Mattermost', hosts: ['*.mattermost.com', 'com.mattermost.rn'] },
  { name: 'Rocket.Chat', hosts: ['*.rocket.chat', 'chat.rocket.android'] },
  { name: 'Zulip', hosts: ['*.zulipchat.com', 'com.zulipmobile', 'com.zulip.flutter'] },
  { name: 'Zoom', hosts: ['*.zoom.us', 'us.zoom.videomeetings'] },
  { name: 'Webex', hosts: ['*.webex.com', 'com.cisco.wx2.android'] },
  { name: 'Lark', hosts: ['*.larksuite.com', '*.feishu.cn', 'com.larksuite.suite', 'com.ss.android.lark'] },
  { name: 'DingTalk', hosts: ['*.dingtalk.com', 'com.alibaba.android.rimet'] },
  { name: 'GroupMe', hosts: ['*.groupme.com', 'com.groupme.android'] },
  { name: 'Kik', hosts: ['*.kik.com', 'kik.android'] },
  { name: 'imo', hosts: ['*.imo.im', 'com.imo.android.imoim'] },
  { name: 'Line', hosts: ['*.line.me', 'jp.naver.line.android'] },
  { name: 'KakaoTalk', hosts: ['*.kakao.com', 'com.kakao.talk'], aliases: ['kakao'] },
  { name: 'Zalo', hosts: ['*.zalo.me', 'com.zing.zalo'] },
  { name: 'WeChat', hosts: ['*.wechat.com', '*.weixin.qq.com', 'com.tencent.mm'], aliases: ['weixin'] },
  { name: 'QQ', hosts: ['*.qq.com', 'com.tencent.mobileqq'] },
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
  { name: 'Perplexity', hosts: ['*.perplexity.ai', '*.perplexity.com', 'ai.perplexity.app.android'] },
  {
    name: 'Gemini',
    hosts: ['gemini.google.com', 'bard.google.com', 'gemini.google', 'com.google.android.apps.bard'],
  },
  { name: 'Google AI Studio', hosts: ['aistudio.google.com', 'ai.studio'] },
  { name: 'NotebookLM', hosts: ['notebooklm.google.com', 'notebooklm.google'] },
  {
    name: 'Copilot',
    hosts: ['copilot.microsoft.com', '*.copilot.com', 'm365.cloud.microsoft', 'com.microsoft.copilot'].concat(
      ['copilot.cloud.microsoft', 'm365copilot.com', 'edgeservices.bing.com', 'sydney.bing.com'],
    ),
  },
  { name: 'Mistral', hosts: ['*.mistral.ai'], aliases: ['le chat'] },
  { name: 'DeepSeek', hosts: ['*.deepseek.com'] },
  { name: 'Grok', hosts: ['*.grok.com', 'grok.x.com', '*.x.ai', 'ai.x.grok'] },
  { name: 'Duck.ai', hosts: ['duck.ai'] },
  { name: 'Z.ai', hosts: ['*.z.ai'] },
  { name: 'ChatGLM', hosts: ['*.chatglm.cn', 'chatglm.ai'] },
  { name: 'ERNIE Bot', hosts: ['yiyan.baidu.com', 'ernie.baidu.com', 'chat.baidu.com', 'wenxin.baidu.com'] },
  { name: 'Yuanbao', hosts: ['yuanbao.tencent.com', 'hunyuan.tencent.com'] },
  { name: 'MiniMax', hosts: ['*.minimax.io', '*.minimaxi.com', '*.hailuo.ai'] },
  { name: 'Metaso', hosts: ['*.metaso.cn'] },
  { name: 'iFlytek Spark', hosts: ['xinghuo.xfyun.cn'] },
  { name: 'iAsk', hosts: ['*.iask.ai'] },
  { name: 'Character.AI', hosts: ['*.character.ai', 'ai.character.app'] },
  { name: 'Inflection Pi', hosts: ['pi.ai'] },
  { name: 'Manus', hosts: ['*.manus.im'] },
  { name: 'Lumo', hosts: ['lumo.proton.me'] },
  { name: 'Groq', hosts: ['*.groq.com'] },
  { name: 'Venice AI', hosts: ['*.venice.ai'] },
  { name: 'OpenRouter', hosts: ['*.openrouter.ai'] },
  { name: 'LMArena', hosts: ['*.lmarena.ai'] },
  { name: 'T3 Chat', hosts: ['t3.chat'] },
  { name: 'Andi Search', hosts: ['*.andisearch.com'] },
  { name: 'Komo', hosts: ['*.komo.ai'] },
  { name: 'Liner AI', hosts: ['*.liner.com'] },
  { name: 'Consensus AI', hosts: ['consensus.app'] },
  { name: 'Elicit', hosts: ['elicit.com'] },
  { name: 'Monica AI', hosts: ['monica.im'] },
  { name: 'Sider', hosts: ['sider.ai'] },
  { name: 'GigaChat', hosts: ['giga.chat'] },
  { name: 'Alice AI', hosts: ['alice.yandex.ru'], aliases: ['yandex alice'] },
  { name: 'wrtn', hosts: ['*.wrtn.ai'] },
  { name: 'Meta AI', hosts: ['*.meta.ai'] },
  { name: 'You.com', hosts: ['*.you.com'] },
  { name: 'Poe', hosts: ['*.poe.com'] },
  { name: 'Phind', hosts: ['*.phind.com'] },
  { name: 'Kimi', hosts: ['*.kimi.com', 'kimi.moonshot.cn'] },
  { name: 'Qwen', hosts: ['*.qwen.ai', '*.tongyi.com', 'qianwen.com', 'tongyi.aliyun.com'] },
  { name: 'Doubao', hosts: ['*.doubao.com'] },
  { name: 'Felo', hosts: ['*.felo.ai'] },
  { name: 'Genspark', hosts: ['*.genspark.ai'] },
  { name: 'HuggingChat', hosts: ['hf.co', '*.huggingface.co'], aliases: ['huggingface', 'hugging face'] },
]

const email: Source[] = [
  {
    name: 'Gmail',
    hosts: ['mail.google.com', 'inbox.google.com', 'com.google.android.gm', 'com.google.android.gm.lite'],
  },
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
      ['com.microsoft.office.outlook', 'outlook.office365.us', 'mail.office365.com'],
    ),
    aliases: ['hotmail'],
  },
  {
    name: 'Yahoo! Mail',
    hosts: ['*.mail.yahoo.com', '*.mail.yahoo.co.jp', 'com.yahoo.mobile.client.android.mail'],
    aliases: ['yahoo mail'],
  },
  { name: 'AOL Mail', hosts: ['mail.aol.com', 'com.aol.mobile.aolapp'] },
  { name: 'iCloud Mail', hosts: ['*.icloud.com'], aliases: ['icloud'] },
  {
    name: 'Proton Mail',
    hosts: ['mail.proton.me', 'mail.protonmail.com', 'ch.protonmail.android'],
    aliases: ['protonmail'],
  },
  { name: 'Fastmail', hosts: ['app.fastmail.com', 'fastmail.com', 'com.fastmail.app'] },
  { name: 'Zoho Mail', hosts: ['mail.zoho.com', 'mail.zoho.eu', 'mail.zoho.in', 'com.zoho.mail'] },
  {
    name: 'GMX',
    hosts: [
      '*.gmx.net',
      '*.gmx.com',
      '*.gmx.de',
      '*.gmx.at',
      '*.gmx.ch',
      'deref-gmx.net',
      'deref-gmx.com',
      'de.gmx.mobile.android.mail',
    ],
  },
  { name: 'WEB.DE', hosts: ['*.web.de', 'deref-web.de', 'deref-web-02.de', 'de.web.mobile.android.mail'] },
  { name: 'mail.com', hosts: ['*.mail.com', 'deref-mail.com', 'com.mail.mobile.android.mail'] },
  { name: 'IONOS Mail', hosts: ['mail.ionos.com', 'mail.ionos.de', 'deref-1und1.de'] },
  { name: 'T-Online Mail', hosts: ['email.t-online.de', 'de.telekom.mail'] },
  { name: 'Tuta', hosts: ['app.tuta.com', 'mail.tutanota.com', 'de.tutao.tutanota'], aliases: ['tutanota'] },
  { name: 'mailbox.org', hosts: ['*.mailbox.org'] },
  { name: 'Posteo', hosts: ['posteo.de'] },
  { name: 'HEY Mail', hosts: ['app.hey.com', 'com.basecamp.hey'] },
  { name: 'Thunderbird', hosts: ['net.thunderbird.android', 'com.fsck.k9'] },
  { name: 'Samsung Email', hosts: ['com.samsung.android.email.provider'] },
  { name: 'Spark Mail', hosts: ['com.readdle.spark'] },
  { name: 'Edison Mail', hosts: ['com.easilydo.mail'] },
  { name: 'BlueMail', hosts: ['me.bluemail.mail'] },
  { name: 'AquaMail', hosts: ['org.kman.AquaMail'] },
  { name: 'Nine Mail', hosts: ['com.ninefolders.hd3'] },
  { name: 'FairEmail', hosts: ['eu.faircode.email'] },
  { name: 'Android Email', hosts: ['com.android.email', 'com.huawei.email'] },
  { name: 'Seznam Email', hosts: ['email.seznam.cz', 'cz.seznam.email'] },
  { name: 'Onet Poczta', hosts: ['poczta.onet.pl'] },
  { name: 'WP Poczta', hosts: ['poczta.wp.pl', 'poczta.o2.pl'] },
  {
    name: 'NetEase Mail',
    hosts: ['mail.163.com', 'mail.126.com', 'com.netease.mobimail', 'com.netease.mail'],
  },
  { name: 'Xfinity Mail', hosts: ['connect.xfinity.com'] },
  { name: 'Mail.ru Mail', hosts: ['e.mail.ru', 'light.mail.ru', 'ru.mail.mailapp', 'com.my.mail'] },
  { name: 'QQ Mail', hosts: ['mail.qq.com', 'wx.mail.qq.com', 'com.tencent.androidqqmail'] },
  { name: 'Naver Mail', hosts: ['mail.naver.com', 'm.mail.naver.com', 'com.nhn.android.mail'] },
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

/** Sources of these categories that Google's table does not have. It has none of the other categories. */
const ours = new Set(
  [
    'Google Scholar|Brave|Startpage|Kagi|Mojeek|Swisscows|MetaGer|Presearch|Shenma|Coc Coc|Goo|Threads|Product Hunt',
    'Indie Hackers|Bluesky|Mastodon|Lemmy|Substack|Lobsters|DEV Community|Discord|Slack|Microsoft Teams|Signal|Viber',
    'Threema|Element Messenger|Google Chat|Google Messages|Samsung Messages|Mattermost|Rocket.Chat|Zulip|Zoom|Webex',
    'Lark|DingTalk|GroupMe|Kik|imo|QQ|Xiaohongshu|Zhihu|Habr|Nextdoor|Steam Community|Linktree|Buffer|Prime Video',
    'Rumble|Odysee|Kick|Bilibili|Rutube|VK Video|Loom|Temu|Idealo|PriceRunner|Naver Shopping',
  ].flatMap(line => line.split('|')),
)
const tabled = new Set<string>(['search', 'social', 'video', 'shopping'])

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
  sources.map(source => ({
    ...source,
    category: category as SourceCategory,
    isOurs: !tabled.has(category) || ours.has(source.name),
  })),
)
