"""What patients and clinicians say, in German and English, beside the English words under which PubMed has it.

All tables are ours. They make the rewriter work without a graph; where a graph knows a concept, the graph is asked
first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from oncosearch.index.names import fold_name

# German stem of compounds, English words, MeSH heading.
_ORGANS = """
lungen; lung; Lung Neoplasms
brust, mamma; breast; Breast Neoplasms
prostata; prostate; Prostatic Neoplasms
darm, dickdarm, kolorektal; colorectal, bowel, colon; Colorectal Neoplasms
mastdarm, enddarm, rektum; rectal; Rectal Neoplasms
magen; gastric, stomach; Stomach Neoplasms
speiseröhren, ösophagus; esophageal, oesophageal; Esophageal Neoplasms
bauchspeicheldrüsen, pankreas; pancreatic; Pancreatic Neoplasms
leber; liver; Liver Neoplasms
gallenblasen; gallbladder; Gallbladder Neoplasms
eierstock, ovarial; ovarian; Ovarian Neoplasms
gebärmutterhals, zervix; cervical; Uterine Cervical Neoplasms
gebärmutter, endometrium; endometrial, uterine; Endometrial Neoplasms
nieren, nierenzell; kidney, renal, renal cell; Kidney Neoplasms
blasen, harnblasen, urothel; bladder; Urinary Bladder Neoplasms
hoden; testicular; Testicular Neoplasms
penis; penile; Penile Neoplasms
haut; skin; Skin Neoplasms
schilddrüsen; thyroid; Thyroid Neoplasms
hirn, gehirn; brain; Brain Neoplasms
kopf-hals; head and neck; Head and Neck Neoplasms
rachen, nasopharynx; nasopharyngeal; Nasopharyngeal Neoplasms
kehlkopf; laryngeal; Laryngeal Neoplasms
ohrspeicheldrüsen, parotis; parotid; Parotid Neoplasms
knochen; bone; Bone Neoplasms
nebennieren; adrenal; Adrenal Gland Neoplasms
"""
# Role; what is said; English terms (MeSH headings after +). P population, I intervention, O outcome, X neither.
_WORDS = """
P; krebs, krebserkrankung, krebskrank, tumor, tumour, tumorerkrankung, cancer, malignancy, bösartig; cancer, \
    neoplasm, tumor, tumour + Neoplasms
P; blutkrebs, leukämie, leukemia, leukaemia; leukemia, leukaemia + Leukemia
P; lymphknotenkrebs, lymphdrüsenkrebs, lymphom, lymphoma; lymphoma + Lymphoma
P; schwarzer hautkrebs, melanom, melanoma, black skin cancer; melanoma + Melanoma
P; myelom, knochenmarkkrebs, multiples myelom, multiple myeloma; multiple myeloma, myeloma + Multiple Myeloma
P; sarkom, weichteilkrebs, sarcoma; sarcoma + Sarcoma
P; aderhautmelanom, augenkrebs, eye cancer, uveal melanoma, choroidal melanoma; uveal melanoma, \
    choroidal melanoma + Choroid Neoplasms, Melanoma
P; bauchfellkrebs, peritonealkarzinose, cancer in the lining of the belly, lining of her abdomen, \
    lining of his abdomen; peritoneal carcinomatosis, peritoneal neoplasms + Peritoneal Neoplasms
P; nicht-kleinzelliges lungenkarzinom, nsclc, non-small cell lung cancer; non-small cell lung cancer, \
    non-small cell lung carcinoma, NSCLC + Carcinoma, Non-Small-Cell Lung
P; metastase, metastasen, metastasiert, metastatic, metastasis, metastases, tochtergeschwulst, has spread, \
    had spread, spread to, gestreut; metastasis, metastases, metastatic + Neoplasm Metastasis
P; lungenmetastasen, spread to the lungs, spread to his lungs, spread to her lungs; lung metastasis, \
    lung metastases, pulmonary metastases
P; lebermetastasen, spread to the liver, spread to his liver, spread to her liver; liver metastasis, \
    liver metastases, hepatic metastases
P; hirnmetastasen, spread to the brain; brain metastases
P; knochenmetastasen, spread to the bones; bone metastases
P; rezidiv, rückfall, kommt wieder, come back, comes back, coming back, came back, recurrence, relapse, \
    return of the cancer; recurrence, relapse, recurrent + Neoplasm Recurrence, Local
P; fortgeschritten, advanced stage, advanced, far gone; advanced
P; frühes stadium, frühstadium, early stage, caught early; early stage, stage I
P; lymphknoten, lymph node, lymph nodes; lymph node, lymph nodes, nodal + Lymph Nodes
P; unbekannter primärtumor, cup-syndrom, do not know where it started, don't know where it started, \
    unknown primary; unknown primary + Neoplasms, Unknown Primary
P; ältere, alte menschen, hochbetagt, elderly, older, old people, old man, old woman, in his seventies, \
    in her seventies, in his eighties, in her eighties; elderly, older, aged + Aged
P; wechseljahre, nach den wechseljahren, menopause, postmenopausal, after the menopause, after menopause; \
    postmenopausal, menopause + Postmenopause
P; schwanger, schwangerschaft, pregnant, pregnancy, expecting a baby; pregnancy, pregnant + Pregnancy
P; kind, kinder, children, baby, infant, säugling; child, children, infant + Child
P; palliativ, palliative, end of life, unheilbar, incurable, can no longer be cured, terminal; \
    palliative + Palliative Care
P; myom, myome, fibroid, fibroids, gutartige knoten in der gebärmutter; myoma, fibroid, leiomyoma + Leiomyoma
P; polyp, polypen, polyps; polyp, polyps + Polyps
P; blutschwamm, strawberry mark, hemangioma, haemangioma; hemangioma, haemangioma + Hemangioma
I; chemo, chemotherapie, chemotherapy; chemotherapy + Antineoplastic Agents, Drug Therapy
I; kombinationschemotherapie, several chemo drugs, more than one chemo drug; combination chemotherapy, \
    polychemotherapy
I; bestrahlung, strahlentherapie, radiation, radiotherapy, rays, irradiation; radiotherapy, radiation, \
    irradiation + Radiotherapy
I; radiochemotherapie, chemoradiotherapy, chemo and radiation together, chemo with radiation; chemoradiation, \
    chemoradiotherapy + Chemoradiotherapy
I; brachytherapie, brachytherapy, radiation from inside, seeds inside, strahlung von innen; \
    brachytherapy + Brachytherapy
I; operation, operieren, operiert, op, surgery, operated, operate, have it cut out, taken out, cut out, \
    herausoperieren; surgery, surgical, resection + Surgical Procedures, Operative
I; schlüsselloch, schlüssellochoperation, keyhole, keyhole surgery, laparoskopisch, laparoscopic, \
    laparoscopy; laparoscopic, laparoscopy + Laparoscopy
I; brusterhaltend, brusterhaltende operation, breast-conserving, keep the breast, only the lump removed, \
    lumpectomy; breast-conserving surgery, lumpectomy + Mastectomy, Segmental
I; prostata entfernen, prostate removed, prostate taken out, prostatectomy, prostatektomie; \
    prostatectomy + Prostatectomy
I; immuntherapie, immunotherapy, immune therapy; immunotherapy, immune checkpoint inhibitor + Immunotherapy
I; zielgerichtete therapie, targeted therapy; targeted therapy + Molecular Targeted Therapy
I; antihormontherapie, hormontherapie, hormone blockers, hormone tablets, hormone therapy, endocrine therapy; \
    endocrine therapy, hormone therapy + Antineoplastic Agents, Hormonal
I; aromatasehemmer, aromatase inhibitor, aromatase inhibitors; aromatase inhibitor, \
    aromatase inhibitors + Aromatase Inhibitors
I; betablocker, beta-blocker, beta blocker, propranolol; beta-blocker, propranolol + Adrenergic beta-Antagonists
I; stammzelltransplantation, stem cell transplant, bone marrow transplant; \
    stem cell transplantation + Stem Cell Transplantation
I; kernspin, kernspintomographie, mrt, mri, magnetic resonance, mr; magnetic resonance imaging, MRI, \
    MR + Magnetic Resonance Imaging
I; ultraschall, ultrasound, sonography, sonographie; ultrasound, sonography, ultrasonography + Ultrasonography
I; mammographie, mammogram, mammography, mammogramm; mammography, mammographic + Mammography
I; computertomographie, ct scan, ct; computed tomography, CT + Tomography, X-Ray Computed
I; darmspiegelung, koloskopie, colonoscopy, bowel camera, camera test of the bowel; colonoscopy + Colonoscopy
I; biopsie, gewebeprobe, biopsy, tissue sample; biopsy + Biopsy
I; wächterlymphknoten, sentinel, sentinel node; sentinel lymph node, sentinel node + Sentinel Lymph Node Biopsy
I; vorsorge, früherkennung, screening, checkup, check-up; screening, early detection + Early Detection of Cancer
I; nachsorge, follow-up, aftercare; follow-up, aftercare + Aftercare
I; klinische studie, trial of a new drug, first tests of a new drug, phase i trial, clinical trial; \
    clinical trial, phase I + Clinical Trials as Topic
I; periduralanästhesie, pda, epidural, injection in the back, needle in the back; epidural analgesia, \
    epidural + Analgesia, Epidural
I; opioid, opioide, morphin, morphine, opioids; opioid, morphine + Analgesics, Opioid
I; zytologie, cytology, smear, urine cells, cells in urine; cytology + Cytodiagnosis
I; impfung, vaccine, vaccination; vaccination, vaccine + Vaccination
O; überleben, überlebenszeit, lebenserwartung, survival, live longer, länger leben, how long, wie lange; \
    survival, mortality + Survival
O; prognose, prognosis, outlook, aussichten; prognosis, prognostic + Prognosis
O; heilung, geheilt, cure, cured; cure, remission, treatment outcome
O; nebenwirkung, nebenwirkungen, side effect, side effects, verträglichkeit, toxicity; adverse effects, \
    side effects, toxicity
O; lebensqualität, quality of life; quality of life + Quality of Life
O; wirkt, wirksam, hilft, effective, does it work, helps, benefit, bringt es etwas; effective, efficacy, \
    benefit, outcome + Treatment Outcome
O; sicher, gefährlich, riskant, safe, dangerous, risky; safe, safety, risk
O; erblich, vererbt, liegt in der familie, runs in the family, run in the family, inherited, hereditary; \
    inherited, hereditary, familial + Genetic Predisposition to Disease
O; angst vor rückfall, afraid it comes back, fear of recurrence; fear of recurrence + Fear
O; angst, ängste, anxiety, afraid, fear; anxiety, fear + Anxiety
O; schmerz, schmerzen, pain; pain + Pain
O; atemnot, luftnot, breathlessness, short of breath, out of breath, dyspnea; dyspnea, breathlessness + Dyspnea
O; mundtrockenheit, trockener mund, dry mouth, xerostomia; xerostomia, dry mouth + Xerostomia
O; müdigkeit, erschöpfung, fatigue, tired; fatigue + Fatigue
O; übelkeit, erbrechen, nausea, vomiting; nausea, vomiting + Nausea
O; herz, herzprobleme, heart, heart trouble, heart problems, heart attack; cardiovascular, cardiac, \
    heart + Cardiovascular Diseases
O; kosten, cost, costs, expensive, pay, afford; cost, costs, financial + Costs and Cost Analysis
O; gelähmt, querschnitt, press on the spinal cord, pressing on his spinal cord, pressing on her spinal cord, \
    spinal cord compression; spinal cord compression + Spinal Cord Compression
O; konzentration, gedächtnis, memory, concentrate, think clearly; cognitive, cognition, memory + Cognition
X; stadium, stadieneinteilung, stage, staging; staging, stage + Neoplasm Staging
X; arme leute, social class, poor, little money, income; socioeconomic, income + Socioeconomic Factors
X; frauen und männer, men and women, gender; gender, sex + Sex Factors
X; gehirn, hirn, brain; brain
X; leber, liver; liver, hepatic
X; lunge, lung, lungs; lung, pulmonary
X; knochen, bone, bones; bone
X; positiv, positive; positive
X; negativ, negative; negative
X; mutiert, mutation, mutated; mutation, mutated, mutant + Mutation
X; diagnose, diagnosis, diagnosed; diagnosis, diagnostic
X; ursache, cause, causes, why did; risk factors, etiology
X; behandlung, therapie, treatment, therapy, treated; treatment, therapy + Therapeutics
X; zweite meinung, many doctors, several specialists, tumour board, tumor board, tumorkonferenz; multidisciplinary
"""
# Told in a story, and no word to search for.
_TOLD = """
versus vs study studies evidence research literature paper papers published
studie studien evidenz forschung literatur
mother father mom mum mama dad papa parents sister brother wife husband partner son daughter aunt uncle grandmother
grandfather grandma grandpa friend neighbour neighbor colleague cousin family relative doctor doctors gp oncologist
surgeon surgeons specialist specialists consultant nurse hospital clinic ward told tell tells says said say saying ask
asked asking wonder wondering wonders worried worry worries scared afraid hope hoping hopes think thinks thought know
knows knew feel feels feeling felt heard hear hears read reading want wants wanted need needs needed like likes would
please help thanks thank hello hi year years month months week weeks day days ago today yesterday tomorrow last next
soon now old young recently just got get gets getting gotten go goes going went gone come comes came coming make makes
made making take takes took taken taking give gives gave given giving put find finds found look looks looking looked
see sees seen saw keep keeps kept try tries tried let lets start started stop stopped really actually also maybe
perhaps anyway anything something nothing everything someone somebody anyone everyone thing things way ways lot bit
much many good bad better worse best right wrong sure true likely possible still already yet even ever always sometimes
often usually first second one two three four five six seven eight nine ten people person man woman men women patient
patients case cases question answer difference different matter matters sense point reason really happen happens
happened mean means meant will shall should could can may might must does did doing done being been having
work works worked working really talk talks talked wait waiting waited decide decided call calls called use
used using offer offers offered
suggest suggests suggested recommend recommends recommended plan plans planned about around every each other others
another same ours mine hers his her him she they them their theirs its us we you your yours i me my
mutter vater mutti vati eltern schwester bruder frau mann ehefrau ehemann partnerin sohn tochter tante onkel oma opa
grossmutter grossvater freund freundin nachbar nachbarin kollege kollegin arzt aerzte aerztin hausarzt onkologe
onkologin chirurg krankenhaus klinik praxis sagt sagte gesagt sagen fragt frage fragen gefragt sorge sorgen angst
hoffe hoffnung denke denkt glaube glaubt weiss wissen wusste fuehle fuehlt gehoert hoere gelesen lesen moechte
moechten braucht brauche brauchen bitte hilfe danke hallo jahr jahre jahren jahr monat monate monaten woche wochen tag
tage tagen heute gestern morgen bald neulich kuerzlich bekommen bekommt bekam erhalten erhaelt geht gehen ging gegangen
kommt kommen kam gekommen macht machen gemacht nimmt nehmen genommen gibt geben gegeben wirklich eigentlich vielleicht
etwas nichts alles jemand ding dinge sache sinn gut schlecht besser schlechter beste richtig falsch sicher moeglich
noch schon immer manchmal oft meistens erste ersten zweite eins zwei drei vier fuenf leute mensch menschen patient
patienten patientin patientinnen fall welche welches welcher sinnvoll bringen empfohlen vorgeschlagen lassen laesst
seine ihre meine unsere unser unserem unseren meinem meinen meiner meines ihrem ihren ihrer leidet erkrankt festgestellt
"""
# A study type as it is asked for → PubMed's publication types.
STUDY_KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"meta-?anal\w+", ("Meta-Analysis",)),
    (r"systematic reviews?|systematische \w*(?:übersicht|reviews?)\w*", ("Systematic Review",)),
    (
        r"randomi[sz]ed(?: controlled)? (?:trials?|stud\w+)|randomisierte\w*(?: kontrollierte\w*)? studien?|\bRCTs?\b",
        ("Randomized Controlled Trial",),
    ),
    (r"guidelines?|leitlinien?", ("Guideline", "Practice Guideline")),
    (r"case reports?|fallberichte?|fallbeschreibung\w*", ("Case Reports",)),
)
# Intent → what is said for it, the first that is found counts.
INTENTS: tuple[tuple[str, str], ...] = (
    ("harm", r"side.effects?|toxic\w*|safe\b|safety|danger\w*|risky|nebenwirk\w*|gefährlich|riskant|verträglich\w*"),
    ("prevention", r"prevent\w*|screen\w*|vaccin\w*|vorsorge|früherkennung|vorbeug\w*|vermeid\w*|impf\w*"),
    ("cause", r"caus\w+|inherit\w*|hereditary|risk factors?|runs? in (?:the|our) family|ursachen?|erblich|vererb\w*"),
    (
        "prognosis",
        r"surviv\w*|prognos\w*|outlook|how long|live longer|recurr\w*|come back|überleb\w*|wie lange|rückfall",
    ),
    (
        "diagnosis",
        r"diagnos\w*|detect\w*|stag(?:e|ing)\b|scan\w*|biops\w*|test\w*|mri|ultrasound|imaging|diagnostik|untersuchung\w*"
        r"|nachweis\w*|stadium|ultraschall",
    ),
    (
        "treatment",
        r"treat\w*|therap\w*|chemo\w*|surg\w*|operat\w*|radi\w*|drug\w*|effective|behand\w*|bestrahl\w*|operier\w*"
        r"|medikament\w*|wirk\w*|hilft|helfen",
    ),
)
ROLES = {"P": "population", "I": "intervention", "C": "comparison", "O": "outcome", "X": "other"}


@dataclass(frozen=True, slots=True)
class Entry:
    """What an everyday word stands for: role, English terms and MeSH headings."""

    role: str
    terms: tuple[str, ...]
    mesh: tuple[str, ...] = ()


@cache
def entries() -> dict[str, Entry]:
    """Return the entries by the folded words that are said for them."""
    found: dict[str, Entry] = {}
    for line in filter(None, map(str.strip, _WORDS.splitlines())):
        role, names, rest = line.split(";")
        terms, _, mesh = rest.partition("+")
        entry = Entry(ROLES[role], _listed(terms), _headings(mesh))
        found |= {fold_name(key): entry for key in _listed(names)}
    for line in filter(None, map(str.strip, _ORGANS.splitlines())):
        german, english, heading = (_listed(part) for part in line.split(";"))
        kinds = ("cancer", "carcinoma")
        entry = Entry("population", tuple(f"{organ} {kind}" for organ in english for kind in kinds), heading)
        said = [f"{stem}{kind}" for stem in german for kind in ("krebs", "karzinom", "tumor", "tumoren", "ca")]
        said += [f"{organ} {kind}" for organ in english for kind in (*kinds, "tumor", "tumour", "neoplasm")]
        said += [f"{kind} of the {organ}" for organ in english for kind in ("cancer", "carcinoma")]
        for key in said:
            found.setdefault(fold_name(key), entry)
    return found


@cache
def told_words() -> frozenset[str]:
    """Return the folded words of stories that say nothing about what is looked for."""
    return frozenset(fold_name(word) for word in _TOLD.split())


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


# The second parts of inverted headings, which have a comma of their own.
_INVERTED = (
    "Non-Small-Cell Lung",
    "Operative",
    "Segmental",
    "Local",
    "Unknown Primary",
    "X-Ray Computed",
    "Opioid",
    "Epidural",
    "Hormonal",
)


def _headings(text: str) -> tuple[str, ...]:
    headings: list[str] = []
    for part in _listed(text):
        if headings and part in _INVERTED:
            headings[-1] += f", {part}"
        else:
            headings.append(part)
    return tuple(headings)
