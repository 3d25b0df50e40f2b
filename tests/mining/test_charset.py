"""Pages that say nothing of their encoding, or something wrong: read as they were written."""

from __future__ import annotations

import time

import pytest

from geohound.mining import charset

# Two texts each, so that what is told apart is the language and not one lucky sentence.
TEXTS = {
    "ja": (
        "地図サービスのページへようこそ。この県の土地利用と河川のデータを公開しています。詳しくはお問い合わせください。",
        "国土地理院の地図と空中写真をご覧いただけます。データのダウンロードは無料です。",
    ),
    "zh-hans": (
        "欢迎访问国家地理信息公共服务平台。本网站提供土地利用、河流和行政区划的地图数据。",
        "我们的网络地图服务可以在您的软件中使用，请阅读说明。",
    ),
    "zh-hant": (
        "歡迎使用國土測繪圖資服務。本網站提供土地利用、河川及行政區域的地圖資料。",
        "臺灣通用電子地圖可以在您的網頁中使用，請參閱說明。",
    ),
    "ko": (
        "국가공간정보포털에 오신 것을 환영합니다. 토지 이용과 하천, 행정구역 지도를 제공합니다.",
        "이 지도 서비스는 누구나 무료로 사용할 수 있습니다. 자세한 내용은 문의하시기 바랍니다.",
    ),
    "ru": (
        "Добро пожаловать на геопортал области. Здесь опубликованы карты лесов, рек и границ районов.",
        "Картографический сервис доступен всем пользователям бесплатно. Адрес службы указан ниже.",
    ),
    "uk": (
        "Ласкаво просимо до геопорталу. Тут є карти лісів, річок і меж громад; їх можна завантажити безкоштовно.",
    ),
    "bg": (
        "Добре дошли в географския портал. Тук са публикувани карти на горите, реките и общините.",
    ),
    "de": (
        "Willkommen im Geoportal. Straßen, Gewässer und Flächennutzung für Bürgerinnen und Bürger.",
        "Größe: 5",
    ),
    "fr": (
        "Bienvenue sur le géoportail. Forêts, rivières et communes à l’échelle du département, mises à jour.",
    ),
    "es": (
        "Cartografía básica: ríos, límites y población. ¿Dónde está el servicio? Aquí, año tras año.",
    ),
    "sv": (
        "Välkommen till länets kartor över sjöar, vägar och fornlämningar. Data är öppna för alla.",
    ),
    "pl": (
        "Zapraszamy do geoportalu województwa. Znajdziesz tu mapy lasów, rzek i granic gmin, także źródła.",
    ),
    "cs": (
        "Vítejte na geoportálu kraje. Najdete zde mapy lesů, řek a hranic obcí; služby jsou veřejné, žádné poplatky.",
    ),
    "hu": (
        "Üdvözöljük a térképtárban. Erdők, folyók és településhatárok, bővebb leírással, ingyenesen letölthetők.",
    ),
    "tr": (
        "Coğrafi bilgi sistemine hoş geldiniz. Ormanlar, ırmaklar ve ilçe sınırları için haritalar ücretsizdir.",
    ),
    "el": (
        "Καλώς ήρθατε στη γεωπύλη. Εδώ θα βρείτε χάρτες για τα δάση, τα ποτάμια και τα όρια των δήμων.",
    ),
    "he": (
        "ברוכים הבאים לאתר המפות. כאן תמצאו נתונים על יערות, נחלים וגבולות הרשויות.",
    ),
    "ar": (
        "مرحبا بكم في البوابة الجغرافية. تجدون هنا خرائط الغابات والأنهار وحدود البلديات.",
    ),
    "th": ("ยินดีต้อนรับสู่ระบบแผนที่ของจังหวัด ที่นี่มีข้อมูลป่าไม้ แม่น้ำ และเขตการปกครอง",),
}
WRITTEN = [
    ("ja", "shift_jis"), ("ja", "euc-jp"), ("zh-hans", "gb2312"), ("zh-hans", "gb18030"), ("zh-hant", "big5"),
    ("ko", "euc-kr"), ("ru", "koi8-r"), ("ru", "cp1251"), ("ru", "cp866"), ("ru", "iso8859-5"), ("uk", "cp1251"),
    ("uk", "koi8-u"), ("bg", "cp1251"), ("de", "iso-8859-1"), ("fr", "cp1252"), ("es", "iso-8859-1"),
    ("sv", "iso-8859-1"), ("pl", "cp1250"), ("pl", "iso-8859-2"), ("cs", "cp1250"), ("cs", "iso-8859-2"),
    ("hu", "iso-8859-2"), ("tr", "cp1254"), ("el", "cp1253"), ("he", "cp1255"), ("ar", "cp1256"), ("th", "cp874"),
]  # fmt: skip
CASES = [(text, codec) for language, codec in WRITTEN for text in TEXTS[language]]
PAGE = '<html><head><title>{0}</title><script>var a = "b";</script></head>\n<body><p class="x">{0}</p>\n</body></html>'


@pytest.mark.parametrize(("text", "codec"), CASES)
@pytest.mark.parametrize("declared", ["", "; charset=utf-8"])
def test_a_page_is_read_as_it_was_written_whatever_it_declares(
    text: str, codec: str, declared: str
) -> None:
    for page in (
        PAGE.format(text),
        f"<p>{text}",
        "<!-- x -->\n" * 30_000 + PAGE.format(text),
    ):
        assert charset.decode(page.encode(codec), f"text/html{declared}") == page


def test_few_broken_characters_do_not_make_a_page_another_encoding() -> None:
    for words in ("Карта лесов и рек", "地図サービス", "Forêts à l’échelle"):
        body = words.encode() + b" \xff \xe9t\xe9 " + words.encode() * 3
        assert charset.decode(body, "text/html; charset=utf-8").startswith(words)
    broken = "地图服务的数据" * 5
    assert charset.decode(
        broken.encode("gb2312") + b"\xff\xff", "text/html; charset=gb2312"
    ).startswith(broken)


def test_nonsense_is_judged_in_no_time() -> None:
    began = time.process_time()
    for body in (
        bytes(range(256)) * 20_000,
        b"\xff" * 5_000_000,
        b"<" * 2_500_000 + b"\xe9" * 2_500_000,
    ):
        assert charset.decode(body, "text/html")
    assert time.process_time() - began < 2
