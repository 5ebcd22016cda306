type ListedCategory = 'search' | 'social' | 'shopping' | 'video'

/**
 * Sources of Google's table of source categories that `knownSources` does not name. With them, channels agree with Google's
 * default channel group. A host also matches its subdomains; a word without a dot is only a tag; `badoo/.com` means the tag
 * badoo and the host badoo.com.
 * @see https://support.google.com/analytics/answer/9756891 "Default channel group", the list of source categories
 */
export const listedSources: Record<ListedCategory, string> = {
  search: `
    alice auone avg babylon biglobe biglobe.co.jp biglobe.ne.jp centrum.cz cnn comcast conduit eniro exalead.com
    firmy.cz globo incredimail kvasir najdi search-results search.smt.docomo.ne.jp search.ukr.net
    secureurl.ukr.net sp-web.search.auone.jp startsiden/.no terra tut.by ukr
  `,
  social: `
    43things/.com 51.com 5ch.net academia.edu activerain/.com activeworlds/.com addthis/.com airg.ca
    allnurses.com allrecipes.com alumniclass/.com ameba.jp ameblo.jp americantowns/.com ancestry.com anobii/.com
    answerbag/.com answers.yahoo.com aolanswers/.com artstation.com asmallworld.com athlinks/.com awe.sm
    baby-gaga/.com babyblog.ru badoo/.com bebo/.com beforeitsnews/.com bharatstudent/.com biip.no biswap.org
    bit.ly blackcareernetwork.com blackplanet/.com blip.fm blog.com blog.feedspot.com blog.goo.ne.jp
    blog.yahoo.co.jp blogg.no bloggang.com blogher/.com bloglines/.com blogs.com blogsome/.com blogster/.com
    blurtit/.com bookmarks.yahoo.co.jp bookmarks.yahoo.com brightkite/.com brizzly/.com buzzfeed/.com
    buzznet/.com cafemom/.com camospace/.com canalblog.com care.com care2/.com caringbridge.org catster/.com
    cbnt.io cellufun/.com centerblog.net chegg.com chicagonow/.com chiebukuro.yahoo.co.jp classmates/.com
    classquest/.com cocolog-nifty/.com copainsdavant.linternaute.com couchsurfing.org cozycot/.com cross.tv
    crunchyroll/.com cyworld/.com dailystrength.org deluxe.com dianping/.com diigo/.com discover.hubpages.com
    disqus/.com dogster/.com dol2day/.com doostang/.com dopplr/.com draugiem.lv drugs-forum/.com dzone/.com
    edublogs.org elftown/.com epicurious.com everforo.com exblog.jp extole/.com faceparty/.com fandom.com
    fanpop/.com fark/.com fc2/.com feedspot feministing/.com filmaffinity/.com folkdirect/.com foodservice/.com
    forums.androidcentral.com forums.crackberry.com forums.imore.com forums.nexopia.com forums.webosnation.com
    forums.wpcentral.com fotki/.com fotolog/.com foursquare/.com friendfeed/.com fruehstueckstreff.org
    fubar/.com gaiaonline/.com gamerdna/.com gather.com geni.com glassboard/.com godtube/.com goldenline.pl
    goldstar/.com goo.gl gooblog google+ googlegroups.com googleplus govloop/.com gowalla/.com gree.jp
    groups.google.com gulli.com gutefrage.net habbo/.com hi5/.com houzz/.com hoverspot/.com hr.com
    hubculture/.com hubpages.com hyves.net hyves.nl ibibo/.com identi.ca ImageShack imageshack.com imageshack.us
    imvu/.com insanejournal/.com instapaper/.com internations.org interpals.net intherooms/.com irc-galleria.net
    is.gd italki/.com jammerdirect/.com jappy.com jappy.de kaboodle.com kakaocorp.com kaneva/.com kin.naver.com
    last.fm librarything/.com lifestream.aol.com listal/.com listography/.com livedoor.com livedoorblog mbga.jp
    meetin.org meinvz.net meneame.net menuism.com messages.google.com messages.yahoo.co.jp mix.com mixi.jp
    mocospace/.com mouthshut/.com movabletype/.com mubi/.com my.opera.com myanimelist.net myheritage/.com
    mylife/.com mymodernmet/.com myspace/.com netvibes/.com newsshowcase nexopia ngopost.org nightlifelink/.com
    ning/.com okwave.jp oneworldgroup.org onstartups/.com opendiary/.com oshiete.goo.ne.jp over-blog.com
    overblog.com paper.li partyflock.nl photobucket/.com pinboard/.in pingsta/.com pixiv.net playahead.se
    plurk/.com plus.google.com plus.url.google.com pocket.co posterous/.com pro.homeadvisor.com pulse.yahoo.com
    qapacity/.com quechup/.com ravelry/.com redux/.com renren/.com researchgate.net reunion/.com
    reverbnation/.com rtl.de ryze/.com salespider/.com scoop.it screenrant/.com scribd/.com scvngr/.com
    secondlife/.com shareit sharethis/.com shvoong.com sites.google.com skyrock/.com slideshare.net
    smartnews.com social sociallife.com.br socialvibe/.com spaces.live.com spoke/.com spruz/.com ssense.com
    stackapps/.com stardoll.com stickam/.com studivz.net suomi24.fi sweeva/.com tagged/.com taggedmail/.com
    talkbiznow/.com taringa.net tencent/.com tinyurl/.com toolbox/.com travellerspoint/.com trombi/.com
    tudou/.com tuenti/.com twoo.com typepad/.com unblog.fr urbanspoon.com ushareit.com ushi.cn
    vampirefreaks/.com vampirerave/.com vg.no video.ibm.com wakoopa/.com wattpad/.com webshots/.com weebly/.com
    wer-weiss-was.de weread/.com wiki.answers.com wikihow.com wikitravel.org woot.com xanga/.com yahoo-mbga.jp
    youroom.in zoo.gr zooppa/.com
  `,
  shopping: `
    nl.shopping.net no.shopping.net se.shopping.net simplycodes.com uk.shopping.net
  `,
  video: `
    crackle/.com curiositystream/.com d.tube justin.tv utreon/.com veoh/.com viadeo.journaldunet.com
  `,
}
