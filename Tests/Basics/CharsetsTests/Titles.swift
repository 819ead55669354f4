/// Titles in the languages whose texts are read as Windows-1252, separated by bars.
let westernTitles = [
    "La vie en rose|Été indien|Déjà vu|Où sont passés les rêves|Ça ira mon cœur|Château de sable"
        + "|L'élève modèle|Préface à l'été|À la claire fontaine|Être ou ne pas être|La forêt enchantée"
        + "|Noël blanc|Le garçon naïf|Mélodie française|Les étoiles filantes|Première fois|Côté jardin"
        + "|Après la pluie|Les Misérables|Édith Piaf|Françoise Hardy|Générique|Sous le ciel de Paris, l'été",
    "Über den Wolken|Grüße aus Köln|Schöne Mädchen|Das Märchen vom König|Süße Träume|Großer Bär|Für Elise"
        + "|Rückkehr nach München|Frühlingsgefühle|Die Ärzte|Männer sind Schweine|Herbert Grönemeyer"
        + "|Weiße Wölfe|Böse Geister|Lösung|Straße ohne Ende|Fünf Brüder|Höhenflug"
        + "|Die Toten Hosen – Tage wie diese|Häuser",
    "Corazón espinado|Mañana será otro día|Señorita|El niño y la luna|Canción del pirata|¿Dónde estás?"
        + "|¡Qué bonito!|Año nuevo|Por ti volaré|Más allá|Cumpleaños feliz|La última noche|Sueños de papel"
        + "|Ojalá|Álbum de fotos|Pequeña flor|Días de otoño|Él y ella|Pasión|Sin ti no soy nada",
    "Så länge skutan kan gå|Änglamark|Öppna landskap|Gärdebylåten|Vårvindar friska|Kärleken är"
        + "|Sånger från nittonhundratalet|Öresund|Älskade syster|Mörkret faller|Två tungor|Åskväder|Fäbodpsalm"
        + "|Höstvisa|Björnen sover|Här kommer natten|Näktergalen|Håkan Hellström|Jag väntar på dig|Sommarnätter",
    "Når jeg bliver gammel|Søndag på øen|Rødgrød med fløde|Blå hav|Kærlighed ved første blik|Æblet"
        + "|Gå nu hjem|Kun for mig|Ørnen|Sommerfuglenes dans på åen|Sæt i gang|Højt på en gren|Drømmenes hav"
        + "|Hjælp mig|Årets sang|Tør du|Gæsterne kommer|Vågn op|Mørke nætter|København",
    "Minä olen muistanut|Sydämeni sävel|Yötön yö|Älä mene pois|Hyvää yötä|Elämä on ihanaa|Kesäyö"
        + "|Päivänsäde ja menninkäinen|Jään tänne|Hetki lyö|Tähti ja meripoika|Hämärän taa|Tyttö metsässä"
        + "|Jos sä tahdot niin|Lähtö|Nämä päivät|Mä en tiedä|Häivä|Öinen ratsastaja|Syysmyrsky tänään",
    "Þú ert yndið mitt yngsta og besta|Sofðu unga ástin mín|Ísland farsælda frón|Ágætis byrjun|Hoppípolla"
        + "|Sæglópur|Með blóðnasir|Ný batterí|Svefn-g-englar|Viðrar vel til loftárása|Olsen Olsen"
        + "|Á sprengisandi|Vísur Vatnsenda-Rósu|Þorparinn|Draumaprinsinn|Ég veit þú kemur|Ó borg mín borg"
        + "|Síðan eru liðin mörg ár|Björk Guðmundsdóttir|Sigur Rós",
    "Canção do mar|Coração|Não me toque|Você é linda|Águas de março|Solidão|Saudade de ti"
        + "|Manhã de carnaval|Construção|O que será|Chão de estrelas|Caetano é João|Ilusões|Mãe menininha"
        + "|Três da madrugada|Última paixão|Ninguém me ama|Sertão|Violões|Pão de açúcar",
    "Città vuota|Più ci penso|Perché no|La felicità|Così fan tutte|È l'amore che conta|Volerò|Libertà"
        + "|Sarà perché ti amo|Caffè nero bollente|Un'estate al mare|Verità nascoste|Già|Gelosia è"
        + "|Lunedì cinema|Eternità|Ancora tu, però|Virtù|Là dove non si può|Metà",
    "Één moment|Geïnspireerd|Reünie|Café zonder bier|Zoë|België|De zeeën|Coördinatie|Vóór alles|Scène"
        + "|Privé|Hé|Carré|Ruïne|Oké|Beïnvloed|Poëzie|Ideeën|Crème|André Hazes",
    "La nit és màgica|Cançó d'amor|Això és tot|Què volen aquesta gent|L'estaca|Lluís Llach|Plou al cor"
        + "|Boig per tu, només|Camí de Ronda|Corren, però|Paraules d'amor senzilles i tendres"
        + "|Al vent, més enllà|Núvols|Començaments|Qualsevol nit pot sortir el sol|Jo vinc d'un silenci"
        + "|L'últim tren|Fins aviat, Mònica|Història|Avui és ahir",
]

/// Titles in other languages, with the character sets that files have them in.
let otherTitles: [(charset: String, titles: String)] = [
    (
        "windows-1251",
        "Первая любовь|Вторая песня|Группа крови|Звезда по имени Солнце|Пачка сигарет|Кино|Перемен"
            + "|Спокойная ночь|Машина времени|Алиса|Аквариум|Город золотой|Я хочу быть с тобой|Последний герой"
            + "|Мама анархия|Закрой за мной дверь|Весна|Дождь для нас|Следи за собой|Ария – Осколок льда"
    ),
    (
        "koi8-u",
        "Первая любовь|Вторая песня|Группа крови|Звезда по имени Солнце|Пачка сигарет|Кино|Перемен"
            + "|Спокойная ночь|Машина времени|Алиса|Аквариум|Город золотой|Я хочу быть с тобой|Последний герой"
            + "|Мама анархия"
    ),
    (
        "ibm866",
        "Первая любовь|Вторая песня|Группа крови|Звезда по имени Солнце|Пачка сигарет|Кино|Перемен"
            + "|Спокойная ночь|Машина времени|Алиса|Аквариум|Город золотой"
    ),
    (
        "windows-1251",
        "Обійми|Океан Ельзи|Човен|Стріляй|Країна мрій|Ой у лузі червона калина|Не твоя війна|Вечірнє сонце"
            + "|Я їду додому|Без бою|Відпусти|Веснянка|Така як ти|Щедрик|Квітка"
    ),
    (
        "windows-1251",
        "Една българска роза|Моя страна|Ветрове|Щурците|Клетва|Две следи|Сбогом, моя любов"
            + "|Подарете на младите обич|Песен за теб|Богатство|Зайди зайди|Хубава си моя горо|Облаче ле бяло"
    ),
    (
        "windows-1253",
        "Ζορμπάς|Το τραγούδι της αγάπης|Μίκης Θεοδωράκης|Καλημέρα ήλιε|Σ' αγαπώ|Θάλασσα πλατιά"
            + "|Η μπαλάντα του κυρ Μέντιου|Ένα το χελιδόνι|Νύχτα μαγική|Της δικαιοσύνης ήλιε νοητέ|Μάνα μου Ελλάς"
            + "|Δίψα|Συννεφιασμένη Κυριακή|Παιδί μου ώρα σου καλή"
    ),
    (
        "windows-1250",
        "Řekni, kde ty kytky jsou|Dvořák: Novosvětská|Včera večer|Láska je láska|Černá kára|Žižkov"
            + "|Růže z papíru|Tři sestry|Holubí dům|Želva|Jožin z bažin|Kdyby tady byla taková panenka"
            + "|Slavíci z Madridu|Ještě jednou|Proč ta růže uvadá|Já, písnička|Karel Gott – Být stále mlád"
            + "|Jaromír Nohavica|Těšínská|Zítra ráno v pět"
    ),
    (
        "windows-1250",
        "Jeszcze Polska nie zginęła|Dziwny jest ten świat|Małgośka|Kołysanka|Łza|Wspomnienie"
            + "|Nic nie może wiecznie trwać|Cóż wiesz o pięknej|Niech żyje bal|Ściana|Żółty jesienny liść|Być sobą"
            + "|Córka rybaka|Krakowski spleen|Czesław Niemen|Święto|Jesteś lekiem na całe zło|Zawsze tam gdzie ty"
            + "|Kocham cię kochanie moje|Wschód"
    ),
    (
        "windows-1250",
        "Tavaszi szél vizet áraszt|Őszi éj|Gyöngyhajú lány|Petróleumlámpa|Szép ősz|Kőszívű|Fűszál"
            + "|Boldog születésnapot|Érints meg|Hűség|Az a szép|Tűzmadár|Csillagok, csillagok, szépen ragyogjatok"
            + "|Hazám, hazám|Omega együttes|Nem tudom|Ezüst eső|Lőrinc|Gőzhajó"
    ),
    (
        "windows-1250",
        "Dragostea din tei|Noapte bună|Ciocârlia|Ţara mea|Şapte zile|Fată de la oraş|Vară caldă|Înger|Băieţii"
            + "|Cântec|Să nu uiţi|Mâine|Dimineaţă|Singurătate|Rătăcind|Iubire|Inimă"
    ),
    (
        "windows-1250",
        "Šta te briga|Što ne može|Čaša|Vjeruj mi|Lijepa naša|Ćiro|Đurđevdan|Kad hodaš|Noć bez sna|Moja draga"
            + "|Sanjaj me večeras|Žena|Duša|Još uvijek|Voljeti više|Sačuvaj|Bijelo dugme – Ružica"
    ),
    (
        "windows-1254",
        "Gülümse|Şarkı söyle|İstanbul'da sonbahar|Ağlama değmez hayat|Sarı çizmeli|Çoban yıldızı|Gözlerin|Aşk"
            + "|Öğretmen|Kırmızı|Dönence|Barış Manço|Gesi bağları|Yalnızlık senfonisi|Haydi gel içelim|Nasılsın"
    ),
    (
        "windows-1257",
        "Tėvynė|Žemė|Laukinis šuo|Vėjas|Šaltinis|Būk su manim|Grįžk|Žiemužė|Mėnesiena|Švieskis|Ąžuolas"
            + "|Naktis ir žvaigždės"
    ),
    (
        "cp932",
        "上を向いて歩こう|涙そうそう|さくら|川の流れのように|千本桜|宇多田ヒカル|リンダリンダ|ありがとう|夜に駆ける|世界に一つだけの花"
    ),
    (
        "euc-jp",
        "上を向いて歩こう|涙そうそう|さくら|川の流れのように|千本桜|宇多田ヒカル|リンダリンダ|ありがとう"
    ),
    (
        "gb18030",
        "月亮代表我的心|甜蜜蜜|邓丽君|朋友|同一首歌|东方之珠|青花瓷|周杰伦|夜曲|听妈妈的话|千里之外|菊花台"
    ),
    (
        "big5-hkscs",
        "月亮代表我的心|甜蜜蜜|鄧麗君|朋友|外婆的澎湖灣|青花瓷|周杰倫|夜曲|聽媽媽的話|千里之外"
    ),
    (
        "cp949",
        "아리랑|사랑해|강남스타일|서울의 달|첫눈|봄날|거짓말|너를 위해|친구여|비와 당신"
    ),
    (
        "windows-1255",
        "ירושלים של זהב|שיר לשלום|הבה נגילה|ערב של שושנים|עטור מצחך|אני ואתה|לו יהי"
    ),
    (
        "windows-1256",
        "إنت عمري|الأطلال|نسم علينا الهوى|زهرة المدائن|حبيبي يا نور العين|فيروز|أم كلثوم"
    ),
    (
        "windows-874",
        "คนดีไม่มีวันตาย|ความรัก|เพลงรัก|ดวงจันทร์|ทะเลใจ|คาราบาว"
    ),
]
