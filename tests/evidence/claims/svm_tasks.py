"""The data sets of the recorded support vector machines, and every fifth of them."""

TASKS = tuple("""
svm/A9A svm/W8A svm/abalone svm/appendicitis svm/australian svm/automobile svm/banana svm/bands
svm/breast-cancer svm/bupa svm/car svm/chess svm/cod-rna svm/coil2000 svm/colon-cancer svm/crx
svm/diabetes svm/ecoli svm/german-numer svm/haberman svm/housevotes svm/ijcnn1 svm/kr-vs-k
svm/led7digit svm/letter svm/lymphography svm/magic svm/monk-2 svm/pendigits svm/phoneme
svm/pima svm/ring svm/saheart svm/segment svm/seismic svm/shuttle svm/sonar-scale svm/spambase
svm/spectfheart svm/splice svm/tic-tac-toe svm/titanic svm/twonorm svm/usps svm/vehicle svm/wdbc
svm/wine svm/winequality-red svm/wisconsin svm/yeast
""".split())
QUICK_TASKS = TASKS[::5]
