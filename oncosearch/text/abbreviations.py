"""What tells a full stop that ends a sentence from one that does not; the lists are ours."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# After these a sentence goes on: something is named, numbered or compared.
NEVER_LAST = _words("""
    dr prof pd med fr hr mr mrs ms st hl priv.-doz dipl
    fig figs abb abbn tab tabl nr nrn no nos ref refs eq eqs sect sec kap art abs bd vol pp ziff anm vers chr
    vs z.b z.t d.h i.e e.g cf vgl bzw bzgl sog ca circa approx inkl incl einschl exkl excl insb insbes evtl ggf
    gem max min.-max mind geb verh lt sen ggü bspw resp zzgl abzgl zw v.a z.n i.s i.s.d z.a a.e i.r
    neg pos postop präop intraop perioperativ tgl wdh red rez lokoreg li re bds dt amer gr kl ehem
    jan feb mär apr jun jul aug sep sept okt oct nov dec dez
""")

# These may end one: it does where a word follows that begins sentences.
MAYBE_LAST = _words("""
    al etc usw usf u.a u.ä o.ä o.a o.b ff f i.v i.m s.c p.o i.t i.p i.d.r s.o s.u n.s a.m p.m u.s u.s.a u.k e.u e.v
    inc ltd co corp gmbh jr sr m.d ph.d b.a m.a p.a p.r.n b.i.d t.i.d q.d q.i.d
    mio mrd std stdn min sec sek wo mon j jh pat ptn pts yr yrs hr hrs wk wks mo mos d h spp sp subsp
    v.h i.a i.o m.e u.u s d.a a.d t.b v.chr n.chr o.g m.w w.o c.f
""")

# After a number these end a sentence before any capital letter.
UNITS = _words("std stdn min sec sek wo mon j h d yr yrs hr hrs wk wks mo mos mg g ml l cm mm m")

MONTHS = _words("""
    januar februar märz april mai juni juli august september oktober november dezember jänner
    jan feb mär mar apr jun jul aug sep sept okt nov dez
    january february march may june july october december oct dec
""")

# Before an ordinal number: "am 3. Mai", "der 2. Zyklus".
BEFORE_ORDINAL = _words("""
    am im der die das dem den des vom zum zur beim ab seit jeder jede jedes jeden jedem einem einen einer
    dieser diese dieses diesem diesen ihr ihre ihrem ihren ihrer sein seine seinem seinen seiner
""")

# After an ordinal number, whatever stands before it.
AFTER_ORDINAL = _words("""
    tag tage tages woche monat monats jahr jahres zyklus linie lebensjahr lebensjahrs lebensjahres quartal
    jahrhundert jahrhunderts trimenon generation ordnung grades lendenwirbel brustwirbel halswirbel rippe
    operation bestrahlung gabe kurs postop postoperativer postoperativen auflage chromosom rezidiv
""")

# A single capital letter after these names a kind and is no initial: "Hepatitis C.", "group A."
BEFORE_LETTER = _words("""
    hepatitis vitamin vitamine group gruppe arm typ type class klasse stage stadium phase grade grad factor faktor
    kohorte cohort child influenza immunglobulin protein cyclin aurora figure panel appendix anhang teil part level
    domain kategorie category variante variant klassifikation version model modell
""")

# Words that begin sentences. In German a capital letter alone says nothing.
STARTERS = _words("""
    der die das dem den des ein eine einer einem einen dies diese dieser dieses diesem diesen es er sie wir ich man
    in im am an auf aus bei beim bis durch für gegen mit nach nachdem ohne seit über um unter vom von vor während wegen
    zu zum zur zwischen trotz innerhalb aufgrund laut neben anhand ab
    aber allerdings also andererseits anschließend auch außerdem dabei dadurch daher damit danach dann daraufhin dazu
    dennoch deshalb deswegen doch etwa ferner hier hierbei hierfür hierzu insgesamt jedoch jeder jede jedes kein keine
    keiner nur ob obwohl oft schließlich sein seine so somit sondern sonst sowohl später trotzdem und vielmehr wann
    warum was weder weil weiterhin welche wenn wer wie wird wo zudem zuerst zuletzt zunächst zusätzlich zwar
    alle allen beide beides einige mehrere viele weitere ihr ihre unser unsere eingeschlossen primärer
    the a an this these those that it its we our they their he she his her i you there here
    on at by for from with without after before during between among under within of to as all both each every
    no none not one two three four five six seven eight nine ten some several many most few other others another
    however moreover furthermore therefore thus although though because since when where while whereas if then also
    additionally finally first second third in is are was were did does do has have had what why who how which
    compared overall only patients patienten patientinnen results conclusion conclusions methods background
    ergebnisse methoden fazit schlussfolgerung
""")

# A line that is one of these alone is a heading.
HEADINGS = _words("""
    abstract background introduction objective objectives aim aims purpose methods method materials patients results
    result findings discussion conclusion conclusions interpretation references summary limitations funding
    einleitung hintergrund fragestellung ziel ziele methoden methodik material ergebnisse ergebnis diskussion fazit
    schlussfolgerung schlussfolgerungen zusammenfassung literatur befund befunde beurteilung anamnese diagnose
    diagnosen therapie verlauf epikrise empfehlung empfehlungen prozedere medikation labor histologie
""")
